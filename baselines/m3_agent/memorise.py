"""Makes memory graphs of videos with M3-Agent's own code, which this project neither holds nor installs.

    python baselines/m3_agent/memorise.py VIDEOS --checkout DIR --out DIR [--python PYTHON] [--check]

VIDEOS is a folder of `<video>.mp4`; DIR a checkout of ByteDance-Seed/m3-agent at the pinned commit, with its models.
What is missing is listed, all at once, before anything is computed; `--check` stops there. Each video is cut into
clips of 30 seconds, upstream's two scripts run over all that have no graph yet, and `memforest data convert-graph`
turns the pickles into files that are safe to read. Exit status 1: something is missing or failed.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

COMMIT = "0e3e41939bd8a0b66d756e7b7eb8d5fe9992da5c"
REPOSITORY = "https://github.com/ByteDance-Seed/m3-agent"
CLIP_SECONDS = 30
SCRIPTS = ("m3_agent/memorization_intermediate_outputs.py", "m3_agent/memorization_memory_graphs.py")
NEEDED = {
    "models/M3-Agent-Memorization": "the model, from huggingface.co/ByteDance-Seed/M3-Agent-Memorization",
    "models/pretrained_eres2netv2.ckpt": "the voices' model, which upstream's README links to",
    "speakerlab": "the folder of that name in github.com/modelscope/3D-Speaker",
}
EMBEDDER = "text-embedding-3-large"
CONNECTION = ("azure_endpoint", "api_version", "api_key", "qpm")
"""What upstream's code reads of configs/api_config.json; the file that it ships has other keys."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("videos", type=Path, help="a folder of <video>.mp4")
    parser.add_argument("--checkout", type=Path, required=True, help="a checkout of m3-agent, with its models")
    parser.add_argument("--out", type=Path, required=True, help="where clips and pickles go")
    parser.add_argument("--python", default=sys.executable, help="the Python that has upstream's packages")
    parser.add_argument("--check", action="store_true", help="only say what is missing")
    given = parser.parse_args(arguments)
    videos = sorted(given.videos.glob("*.mp4"))
    lacking = [*missing(given.checkout, python=given.python)]
    if not videos:
        lacking.append(f"videos: there is no .mp4 in {given.videos}")
    for line in lacking:
        print(f"missing: {line}", file=sys.stderr)
    if lacking or given.check:
        return 1 if lacking else 0
    return memorise(videos, checkout=given.checkout.resolve(), out=given.out.resolve(), python=given.python)


def missing(checkout: Path, *, python: str) -> Iterator[str]:
    """What upstream's code needs and is not there, a line each with where to get it."""
    if not (checkout / "mmagent" / "videograph.py").is_file():
        yield f"checkout: {checkout} holds no m3-agent; git clone {REPOSITORY}, then git checkout {COMMIT}"
        return
    found = _said("git", "-C", str(checkout), "rev-parse", "HEAD")
    if found != COMMIT:
        yield f"commit: the checkout is at {found or 'no commit that git knows'}, this was written for {COMMIT}"
    for name, what in NEEDED.items():
        if not (checkout / name).exists():
            yield f"{name}: {what}"
    yield from _connection(checkout / "configs" / "api_config.json")
    yield from (f"{tool}: install ffmpeg" for tool in ("ffmpeg", "ffprobe") if shutil.which(tool) is None)
    if not _said("nvidia-smi", "-L"):
        yield "a GPU: the model has 7 billion parameters, and upstream's code runs it on a GPU only"
    if _said(python, "-c", "import torch, transformers, qwen_omni_utils, insightface; print(1)") != "1":
        yield f"packages: {python} lacks some of upstream's (setup.sh and README there); name another with --python"


def memorise(videos: Sequence[Path], *, checkout: Path, out: Path, python: str) -> int:
    """Cut, run upstream's scripts, and see that every video has a graph. Returns the exit status."""
    jobs = [_job(video, out) for video in videos]
    todo = [job for job in jobs if not Path(job["mem_path"]).is_file()]
    for job in todo:
        _cut(Path(job["video_path"]), Path(job["clip_path"]))
        Path(job["intermediate_outputs"]).mkdir(parents=True, exist_ok=True)
        Path(job["mem_path"]).parent.mkdir(parents=True, exist_ok=True)
    listed = out / "data.jsonl"
    listed.write_text("".join(json.dumps(job) + "\n" for job in todo), "utf-8")
    for script in SCRIPTS if todo else ():
        # The scripts import `mmagent` and read `configs/` from where they start.
        command, env = [python, script, "--data_file", str(listed)], {**os.environ, "PYTHONPATH": str(checkout)}
        status = subprocess.run(command, cwd=checkout, env=env, check=False).returncode
        if status:
            print(f"{script} ended with status {status}; the same command goes on from there", file=sys.stderr)
            return 1
    absent = [job["id"] for job in jobs if not Path(job["mem_path"]).is_file()]
    for video in absent:
        print(f"no graph was made of {video}", file=sys.stderr)
    print(f"graphs: {len(jobs) - len(absent)} of {len(jobs)}, as pickles; make them safe to read with:")
    print(f"memforest data convert-graph {out}/memory_graphs/*.pkl --out {out}/graphs")
    return 1 if absent else 0


def _job(video: Path, out: Path) -> dict[str, str]:
    """One line of upstream's data file. Its README says `intermediate_path`, its code reads `intermediate_outputs`."""
    return {
        "id": video.stem,
        "video_path": str(video.resolve()),
        "clip_path": str(out / "clips" / video.stem),
        "mem_path": str(out / "memory_graphs" / f"{video.stem}.pkl"),
        "intermediate_outputs": str(out / "intermediate_outputs" / video.stem),
    }


def _cut(video: Path, folder: Path) -> None:
    """Clips 0.mp4, 1.mp4, ... of 30 seconds, the last one shorter; none of no length, as upstream's loop can make."""
    length = float(
        _said("ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "default=nw=1:nk=1", str(video))
    )
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(math.ceil(length / CLIP_SECONDS)):
        clip = folder / f"{number}.mp4"
        if not clip.is_file():
            beside = folder.parent / f".{folder.name}-{number}.mp4"
            start = str(number * CLIP_SECONDS)
            cut = ["ffmpeg", "-y", "-v", "error", "-ss", start, "-i", str(video), "-t", str(CLIP_SECONDS), "-c", "copy"]
            subprocess.run([*cut, str(beside)], check=True)
            beside.rename(clip)


def _connection(path: Path) -> Iterator[str]:
    """What the embedder's entry of the configuration lacks."""
    try:
        entry = json.loads(path.read_bytes())[EMBEDDER]
        lacking = [name for name in CONNECTION if not entry.get(name)]
    except (OSError, ValueError, KeyError, AttributeError):
        lacking = list(CONNECTION)
    if lacking:
        yield f"{path.name}: {', '.join(lacking)} of {EMBEDDER} (upstream reaches it through Azure; qpm: calls at once)"


def _said(*command: str) -> str:
    """What a command prints; nothing where it fails or does not exist."""
    try:
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return ended.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
