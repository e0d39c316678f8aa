"""The front door: Hydra's command line around one run."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from memforest.config.folder import conf_folder, options
from memforest.config.overrides import check_grammar, check_overrides, flags, without_flags
from memforest.config.spec import GROUPS
from memforest.core.errors import UNFINISHED, MemforestError

_USAGE = """usage: python run.py [name=value ...] [--multirun]

Builds a memory for every unit of a dataset, compresses it, asks it every question, and scores what is found.

  python run.py compressor=memforest ratio=0.5
  python run.py dataset=locomo dataset.path=FILE compressor=tome ratio=0.5 retriever=agpr
  python run.py --multirun compressor=none,memforest,tome,kmeans ratio=0.3,0.5,0.7

choices:
{choices}
values:
  ratio=0.5      share of nodes removed, in [0, 1)
  k=10           hits per memory
  seed=0         for methods with randomness
  paths.outputs=outputs   where runs, artifacts and cached vectors go

Every setting of a choice can be set too (compressor.alpha=0.1); the files in {conf} list them all.
--cfg job prints the composed configuration, --hydra-help Hydra's own options.
"""


def main() -> None:
    """Entry of run.py. Exits with 1 after an error, with 2 after a usage error, and with 3 where calls failed that the
    same command makes again."""
    arguments = sys.argv[1:]
    if "--help" in arguments or "-h" in arguments:
        print(_USAGE.format(choices=_choices(), conf=conf_folder()))
        return
    try:
        check_overrides(arguments)
        check_grammar(arguments)
    except MemforestError as error:
        _complain(error)
        sys.exit(2)
    # Hydra takes flags before or after all overrides, people put them anywhere.
    sys.argv[1:] = [*without_flags(arguments), *flags(arguments)]
    # A scheduler asks a job to end, which then ends as for a person; a shell lets jobs in the background ignore Ctrl-C.
    for asked in (signal.SIGTERM, signal.SIGINT):
        signal.signal(asked, signal.default_int_handler)
    try:
        failed, unfinished = _run_hydra()
    except KeyboardInterrupt:
        print("\ninterrupted; the same command continues", file=sys.stderr)
        sys.exit(130)
    if failed or unfinished:
        sys.exit(1 if failed else UNFINISHED)


def _choices() -> str:
    return "\n".join(f"  {group:<13}{', '.join(options(group))}" for group in GROUPS)


def _run_hydra() -> tuple[int, int]:
    """Run the job or jobs that Hydra composes; a failed job never keeps its neighbours from running.

    Returns how many failed, and how many ended with failed calls.
    """
    import hydra

    failures: list[MemforestError] = []
    unfinished: list[str] = []

    @hydra.main(version_base="1.3", config_path=str(conf_folder()), config_name="config")
    def job(config: Any) -> None:
        from memforest.config.compose import plain
        from memforest.config.spec import parse_spec

        try:
            spec = parse_spec(plain(config))
            from memforest.pipeline.front import run_and_print

            run = run_and_print(spec)
            unfinished.extend([run.id] if run.retryable else [])
        except MemforestError as error:
            _complain(error)
            failures.append(error)
        except BrokenPipeError:
            # The reader, such as `head`, has seen enough; what was computed is kept.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    job()
    return len(failures), len(unfinished)


def _complain(error: MemforestError) -> None:
    sys.stdout.flush()
    for line in str(error).splitlines():
        print(f"error: {line}", file=sys.stderr, flush=True)
