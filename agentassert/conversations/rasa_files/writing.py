"""Writing YAML that Rasa and this library read back as the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from agentassert.conversations.rasa_files.words import meaning
from agentassert.suites.yaml_syntax import yaml

_ORDINARY: Final = re.compile(r"[ -~\xa0-\u2027\u202a-\ud7ff]*")
_LINES: Final = re.compile(r"[!-~][ -~]*(\n([!-~ ]*[!-~])?)*\n?")
_WIDEST: Final = 1_000_000


def dump(data: Mapping[str, Any]) -> str:
    """The YAML text of plain data.

    Example:
        >>> print(dump({"user": "hello", "value": "1e3", "all": True}), end="")
        user: hello
        value: "1e3"
        all: true
    """
    written: str = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDEST)
    return written


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]  # the YAML library has no types
    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: Any, text: str) -> Any:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text))


def _style(text: str) -> str | None:
    """None where the text may stand as it is."""
    if "\n" in text:
        return "|" if _LINES.fullmatch(text) else '"'
    return None if _ORDINARY.fullmatch(text) and _is_text(text) else '"'


def _is_text(word: str) -> bool:
    try:
        return "${" not in word and meaning(word) == word
    except ValueError:
        return False


_Dumper.add_representer(str, _text)
