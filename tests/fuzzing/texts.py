"""What the targets that read texts have in common: bytes as text, and YAML as nobody writes it."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

WORDS: Final = (
    *(
        "&a ",
        "*a",
        "<<: *a",
        "!!python/object/apply:os.system ['true']",
        "!!binary ",
        "!local ",
        "%YAML 1.1\n---",
        "%TAG ! tag:x\n---",
        "---",
        "...",
    ),
    *(
        "? ",
        "- ",
        ": ",
        "{",
        "}",
        "[",
        "]",
        "|",
        ">-",
        "'",
        '"',
        "#",
        "@",
        "`",
        "\t",
        "\r\n",
        "yes",
        "on",
        "~",
        "null",
        ".nan",
        ".inf",
        "0o17",
    ),
    *(
        "0xff",
        "1e3",
        "-0",
        "1_000",
        "2026-01-02",
        "2026-01-02T10:00:00Z",
        '"\\0"',
        '"\\x9b31m"',
        '"\\ud800"',
        '"\\U00110000"',
        "\ufeff",
        "\u2028",
    ),
    *(
        "&a [*a]",
        "x: &a {<<: *a}",
        "0x" + "f" * 5_000,
        "a" * 3_000,
        "- " * 60,
        "{a: " * 60,
        "[" * 60,
        "${x}" * 500,
        "${" * 1_000,
        "\u202e",
    ),
)


def text_of(data: bytes) -> str:
    """Bytes as text: with halves of pairs where they stand for such, as JSON and agents may hold them."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace")


_nodes = st.recursive(
    st.sampled_from(WORDS) | st.text(max_size=6),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
        st.lists(st.tuples(inner, inner), max_size=4).map(
            lambda pairs: "{" + ", ".join(f"{key}: {value}" for key, value in pairs) + "}"
        ),
        st.tuples(st.sampled_from(("&a ", "&b ", "!!str ", "'", "")), inner).map("".join),
    ),
    max_leaves=10,
)
YAML: Final = st.lists(st.tuples(st.sampled_from(("tests", "test_cases", "- ", "  - name", "a")), _nodes), max_size=6).map(
    lambda lines: "\n".join(f"{key}: {value}" for key, value in lines).encode("utf-8", "surrogatepass")
)
