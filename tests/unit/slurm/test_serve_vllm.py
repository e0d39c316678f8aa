"""slurm/serve_vllm.sh, with a program in the place of vllm."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "slurm" / "serve_vllm.sh"
VLLM = """#!{python}
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

Path({called!r}).write_text(json.dumps(sys.argv[1:]))
if "--fail" in sys.argv:
    sys.exit("no GPU here")

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/v1/models" else 404)
        self.end_headers()
    def log_message(self, *_):
        pass

server = HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler)
for _ in range(3):
    server.handle_request()
    if {once}:
        break
"""


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port


def serve(folder: Path, *arguments: str) -> tuple[subprocess.CompletedProcess[str], Path, int]:
    """Run the script; the stand-in ends after one call, and the script with it."""
    called, program, port = folder / "called.json", folder / "bin" / "vllm", free_port()
    program.parent.mkdir()
    program.write_text(VLLM.format(python=sys.executable, called=str(called), once=True))
    program.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{program.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PORT": str(port),
        "POLL_SECONDS": "0.1",
        "WAIT_SECONDS": "60",
    }
    command = ["bash", str(SCRIPT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment, check=False, cwd=ROOT)
    return done, called, port


def test_the_script_is_bash_with_a_header_for_sbatch() -> None:
    subprocess.run(["bash", "-n", str(SCRIPT)], check=True)
    lines = SCRIPT.read_text().splitlines()
    assert lines[0] == "#!/usr/bin/env bash"
    assert lines[1].startswith("#SBATCH ")
    assert os.access(SCRIPT, os.X_OK)


def test_a_model_is_served_with_its_settings_and_the_address_is_printed(tmp_path: Path) -> None:
    done, called, port = serve(tmp_path, "gemma_4_12b_it", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"base_url: http://{socket.gethostname()}:{port}/v1"]
    assert called.read_text() == (
        '["serve", "google/gemma-4-12B-it", "--max-model-len", "65536", "--dtype", "auto", '
        '"--tensor-parallel-size", "1", "--gpu-memory-utilization", "0.9", "--max-num-seqs", "512", '
        '"--reasoning-parser", "gemma4", "--generation-config", "vllm", '
        f'"--port", "{port}", "--seed", "1"]'
    )


def test_a_server_that_ends_before_it_answers_is_an_error(tmp_path: Path) -> None:
    done, _, _ = serve(tmp_path, "gemma_4_12b_it", "--fail")
    assert done.returncode == 1
    assert "no GPU here" in done.stderr and "ended before it answered" in done.stderr
    assert "base_url" not in done.stdout


@pytest.mark.parametrize(
    ("name", "message"), [("gemma_12b_it", "did you mean gemma_4_12b_it"), ("gpt_4o_mini", "not served by vLLM")]
)
def test_what_cannot_be_served_is_named(tmp_path: Path, name: str, message: str) -> None:
    done, called, _ = serve(tmp_path, name)
    assert done.returncode != 0
    assert message in done.stderr
    assert not called.exists()
