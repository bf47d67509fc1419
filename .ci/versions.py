"""What pip is to install so that frameworks are there in the oldest or newest version that the adapter contract was recorded with.

python .ci/versions.py oldest google_adk
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

RUNS = Path(__file__).parent.parent / "tests" / "adapters" / "runs"


def main(age: str, *frameworks: str) -> None:
    """Print the requirements."""
    for framework in frameworks:
        versions = json.loads((RUNS / f"{framework}-{age}.json").read_text("utf-8"))["versions"]
        print(*(f"{distribution}=={version}" for distribution, version in versions.items()))


if __name__ == "__main__":
    main(*sys.argv[1:])
