"""What is known about each benchmark file: origin, size, sha256, licence; and fetching it with a check."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import tempfile
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from memforest.core.digests import file_digest
from memforest.core.errors import DataError


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of the manifest. `path` is its place under the data folder; `versions` maps known hashes to words.

    `dataset` is the option that reads it, often with others.
    """

    name: str
    dataset: str
    path: str
    url: str
    origin: str
    licence: str
    bytes: int
    sha256: str
    versions: Mapping[str, str]

    def lines(self) -> list[str]:
        """The entry in words."""
        return [
            f"{self.name}: {self.origin}",
            f"  size    {self.bytes:,} bytes",
            f"  sha256  {self.sha256}",
            f"  licence {self.licence}",
        ]

    def notices(self, path: Path, digest: str) -> tuple[str, ...]:
        """A notice on a file that is read in place of this one; none when it is this one."""
        if digest == self.sha256:
            return ()
        return (f"{path.name} has sha256 {digest[:12]}...: {self.describe(digest)}",)

    def describe(self, digest: str) -> str:
        """Which known version a hash is."""
        return self.versions.get(digest, "no version that this project knows")


def manifest() -> dict[str, Entry]:
    """All entries by name, those of one dataset together."""
    raw = json.loads(resources.files("memforest.datasets").joinpath("manifest.json").read_text("utf-8"))
    return {name: Entry(name=name, **entry) for name, entry in raw.items()}


def source_of(entry: Entry, given: Path | None, *, files: int) -> Path | None:
    """What to copy an entry from: the given file, or the file of its name in the given folder.

    Raises DataError when one file is given for several.
    """
    if given is None or not (given.is_dir() or files > 1):
        return given
    if not given.is_dir():
        raise DataError(f"{entry.dataset} is {files} files; give the folder that holds them with --from DIR")
    return given / Path(entry.path).name


def fetch(entry: Entry, *, folder: Path, source: Path | None) -> Path:
    """Put the file into `folder`, from `source` or the network, if its hash is the manifest's; else change nothing.

    Raises DataError for a wrong hash, a missing source, no network, or a folder that cannot be written.
    """
    destination = folder / entry.path
    if destination.is_dir():
        raise DataError(f"{destination} is a folder; move it away, the file goes there")
    if source is None and destination.is_file() and file_digest(destination) == entry.sha256:
        return destination
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=destination.parent, prefix=".fetch-")
    except OSError as error:
        raise DataError(
            f"cannot write to {destination.parent}: {error.strerror}; choose another folder with --to DIR"
        ) from error
    os.close(handle)
    beside = Path(name)
    try:
        _copy(entry, beside, source=source)
        _verify(entry, beside, origin=str(source or entry.url))
        if destination.exists() and file_digest(destination) != entry.sha256:
            raise DataError(
                f"{destination} exists and is {entry.describe(file_digest(destination))}; "
                "move it away first, it is not overwritten"
            )
        beside.chmod(0o644)
        beside.rename(destination)
    finally:
        beside.unlink(missing_ok=True)
    return destination


def _copy(entry: Entry, target: Path, *, source: Path | None) -> None:
    if source is not None:
        if not source.is_file():
            raise DataError(f"{source} does not exist; --from takes the path of a downloaded {Path(entry.path).name}")
        try:
            shutil.copyfile(source, target)
        except OSError as error:
            raise DataError(f"cannot copy {source}: {error.strerror or error}") from error
        return
    try:
        with urllib.request.urlopen(entry.url, timeout=60) as response, target.open("wb") as stream:
            shutil.copyfileobj(response, stream)
    except (http.client.HTTPException, OSError) as error:
        raise DataError(
            f"cannot download {entry.url} ({error}); download it where there is a network and run: "
            f"memforest data fetch {entry.name} --from FILE"
        ) from error


def _verify(entry: Entry, path: Path, *, origin: str) -> None:
    digest = file_digest(path)
    if digest != entry.sha256:
        raise DataError(
            f"{origin} has sha256 {digest[:12]}... ({path.stat().st_size:,} bytes): {entry.describe(digest)}; "
            f"expected {entry.sha256[:12]}... ({entry.bytes:,} bytes). Nothing was stored. A file of the same "
            "schema can be used as it is with dataset.path"
        )
