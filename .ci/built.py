"""Compares what was built with the tree, and with itself: python .ci/built.py SDIST WHEEL_OF_SDIST WHEEL_OF_TREE."""

from __future__ import annotations

import email
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parent.parent


def contents(wheel: str) -> dict[str, bytes]:
    """Each file of a wheel, by name."""
    with zipfile.ZipFile(wheel) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def files(*folders: str) -> Iterator[str]:
    """Those of the tree, without what running it leaves behind."""
    for folder in folders:
        for file in (PROJECT / folder).rglob("*"):
            name = file.relative_to(PROJECT).as_posix()
            if file.is_file() and "__pycache__" not in name and "/." not in name:
                yield name


def refuse(what: str, names: set[str]) -> None:
    """End with a word on what should not be."""
    if names:
        raise SystemExit(f"{what}: {', '.join(sorted(names)[:10])}")


def main(sdist: str, of_sdist: str, of_tree: str) -> None:
    """Compare."""
    one, other = contents(of_sdist), contents(of_tree)
    refuse("the wheels of the source distribution and of the tree differ", {name for name, _ in one.items() ^ other.items()})

    information = next(name for name in one if name.endswith("/METADATA")).removesuffix("METADATA")
    own = {name for name in one if not name.startswith(information)}
    refuse("the wheel has other files than the package", own ^ set(files("agentassert")))
    refuse(
        "the wheel says nothing of", {"licenses/LICENSE", "entry_points.txt"} - {name.removeprefix(information) for name in one}
    )

    with tarfile.open(sdist) as opened:
        packed = {name.partition("/")[2] for name in opened.getnames()}
    refuse("the source distribution lacks", set(files("agentassert", "tests", "docs", "examples")) - packed)

    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    metadata = email.message_from_bytes(one[f"{information}METADATA"])
    required = {one.replace(" ", "") for one in metadata.get_all("Requires-Dist", []) if "extra ==" not in one}
    refuse("the wheel requires something else", required ^ set(project["dependencies"]))
    refuse("the wheel has other extras", set(metadata.get_all("Provides-Extra", [])) ^ set(project["optional-dependencies"]))
    print(f"{metadata['Name']} {metadata['Version']}: {len(own)} files in the wheel, {len(packed)} in the source distribution")


if __name__ == "__main__":
    main(*sys.argv[1:])
