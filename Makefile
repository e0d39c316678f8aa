# Two set-up commands, each from a fresh clone: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml Makefile
MEM0 := baselines/mem0

.PHONY: run test test-all lint types baseline-mem0 clean

run: $(VENV)/.installed
	$(BIN)/python run.py compressor=memforest ratio=0.5

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -m "not slow" -n 2

test-all: $(VENV)/.installed-test baseline-mem0
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-test
	$(BIN)/mypy

# Mem0's own environments, one for each line of its versions; the package never imports what is in them.
baseline-mem0: $(MEM0)/.venv-1/.installed $(MEM0)/.venv-2/.installed

clean:
	rm -rf $(VENV) $(MEM0)/.venv-1 $(MEM0)/.venv-2 .pytest_cache .mypy_cache .ruff_cache

$(VENV)/.installed: $(SOURCES)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "memforest needs Python 3.11 or newer, this is " + sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@

$(MEM0)/.venv-%/.installed: $(MEM0)/requirements-%.txt
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check -r $<
	touch $@
