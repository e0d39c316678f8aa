#!/usr/bin/env bash
#SBATCH --job-name=memforest-vllm
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=8
#SBATCH --mem=64G
#SBATCH --time=24:00:00
#SBATCH --output=%x-%j.log
# Serves the model of a file of conf/llm with vLLM, until the job ends:
#     sbatch slurm/serve_vllm.sh qwen3_4b_instruct_2507 [further arguments of vllm serve]
# or without SLURM, on a machine with a GPU: bash slurm/serve_vllm.sh NAME. When the server answers, the line
# `base_url: URL` appears; use it with llm=NAME llm.base_url=URL. PORT sets the port, WAIT_SECONDS how long to wait.
set -euo pipefail
name=${1:?which file of conf/llm? for example qwen3_4b_instruct_2507}
shift

command=()
while IFS= read -r word; do command+=("$word"); done < <(python - "$name" <<'PYTHON'
import sys
from memforest.config.folder import options, settings, unknown
from memforest.llm.serving import server_command

name = sys.argv[1]
if name not in options("llm"):
    sys.exit(str(unknown("llm", name, options("llm"))))
if settings("llm", name)["provider"] not in ("vllm", "vllm_engine"):
    sys.exit(f"llm={name} is not served by vLLM: its provider is {settings('llm', name)['provider']}")
print(*server_command(settings("llm", name)), sep="\n")
PYTHON
)
[ ${#command[@]} -gt 0 ] || exit 2

port=${PORT:-8000}
limit=${WAIT_SECONDS:-1800}
"${command[@]}" --port "$port" "$@" &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
trap 'exit 143' TERM INT

answers() {
    python -c 'import sys, urllib.request as r; r.urlopen(sys.argv[1], timeout=5)' "http://127.0.0.1:$port/v1/models" 2>/dev/null
}
until answers; do
    if ! kill -0 "$server" 2>/dev/null; then
        echo "the server of $name ended before it answered; its messages are above" >&2
        exit 1
    fi
    if [ "$SECONDS" -ge "$limit" ]; then
        echo "the server of $name did not answer within $limit seconds" >&2
        exit 1
    fi
    sleep "${POLL_SECONDS:-5}"
done
echo "base_url: http://$(hostname):$port/v1"
wait "$server"
