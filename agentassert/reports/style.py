"""The look of the trees, in a light and a dark theme. It paints its own background, so that it is legible on any page."""

from __future__ import annotations

from typing import Final

_LIGHT: Final = {
    "paper": "#ffffff",
    "raised": "#f6f7f9",
    "line": "#dfe3e8",
    "text": "#1b2026",
    "quiet": "#5b6672",
    "good": "#166e30",
    "good-paper": "#e3f5e8",
    "bad": "#b42318",
    "bad-paper": "#fdeaea",
    "doubt": "#8a5a00",
    "doubt-paper": "#fdf1d6",
    "accent": "#0757ba",
}
_DARK: Final = {
    "paper": "#16191d",
    "raised": "#1f242a",
    "line": "#343b44",
    "text": "#e6e9ec",
    "quiet": "#9aa5b1",
    "good": "#5fd07e",
    "good-paper": "#16321f",
    "bad": "#ff8f85",
    "bad-paper": "#431c1a",
    "doubt": "#eab84f",
    "doubt-paper": "#3a2d10",
    "accent": "#7db7ff",
}

_DARK_HOSTS: Final = (
    'body[data-jp-theme-light="false"]',  # JupyterLab and Notebook 7
    "body.vscode-dark",
    'html[theme="dark"]',  # Colab
    '[data-theme="dark"]',  # pages of our own, and documentation
)
_LIGHT_HOSTS: Final = ('body[data-jp-theme-light="true"]', "body.vscode-light", 'html[theme="light"]', '[data-theme="light"]')

# Doubled, so that it outweighs what notebooks say about lists and code in general.
_OURS: Final = ".agentassert.agentassert"
_RULES: Final = """
& {
  background: var(--aa-paper); color: var(--aa-text); border: 1px solid var(--aa-line); border-radius: 8px; padding: 8px 10px;
  margin: 4px 0; overflow-x: auto; text-align: left; font: 13px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif;
}
& code, & pre, & .aa-fields dt {
  font: 12.5px/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; background: none; color: inherit;
  border: 0; margin: 0; padding: 0; white-space: pre-wrap; overflow-wrap: anywhere;
}
& ul.aa-below { list-style: none; margin: 0; padding: 0; }
& ul.aa-below ul.aa-below { margin-left: 9px; padding-left: 11px; border-left: 1px solid var(--aa-line); }
& li { margin: 0; padding: 0; }
& details { margin: 0; padding: 0; border: 0; }
& summary, & .aa-leaf {
  display: flex; flex-wrap: wrap; justify-content: flex-end; align-items: baseline; gap: 0 8px; padding: 2px 6px 2px 20px; border-radius: 5px;
  position: relative; list-style: none;
}
& summary { cursor: pointer; }
& summary::-webkit-details-marker { display: none; }
& summary::before {
  content: ""; position: absolute; left: 6px; top: 9px; border-style: solid; border-width: 4px 0 4px 6px;
  border-color: transparent transparent transparent var(--aa-quiet);
}
& details[open] > summary::before { transform: rotate(90deg); }
& summary:hover { background: var(--aa-raised); }
& summary:focus-visible { outline: 2px solid var(--aa-accent); }
& .aa-head { flex: 1 1 16em; min-width: 0; }
& .aa-head b { font-weight: 650; }
& li[data-kind="tool"] > * > summary b, & li[data-kind="tool"] > .aa-leaf b { color: var(--aa-accent); }
& .aa-more { margin-left: 14px; }
& .aa-more > summary { color: var(--aa-quiet); font-size: 12px; justify-content: flex-start; }
& .aa-more > .aa-fields { margin-left: 6px; }
& .aa-facts { color: var(--aa-quiet); font-size: 12px; min-width: 0; text-align: right; }
& .aa-badge { border-radius: 9px; padding: 0 8px; font-size: 11.5px; font-weight: 600; }
& .aa-quiet { color: var(--aa-quiet); }
& .aa-good { color: var(--aa-good); }
& .aa-bad { color: var(--aa-bad); }
& .aa-doubt { color: var(--aa-doubt); }
& .aa-badge.aa-quiet { background: var(--aa-raised); }
& .aa-badge.aa-good { background: var(--aa-good-paper); }
& .aa-badge.aa-bad { background: var(--aa-bad-paper); }
& .aa-badge.aa-doubt { background: var(--aa-doubt-paper); }
& li[data-outcome="failed"] > * > summary, & li[data-outcome="failed"] > .aa-leaf { background: var(--aa-bad-paper); }
& .aa-fields {
  display: grid; grid-template-columns: fit-content(35%) minmax(0, 1fr); gap: 1px 14px; margin: 2px 0 6px 20px; padding: 6px 10px;
  background: var(--aa-raised); border-radius: 6px;
}
& .aa-fields dt { color: var(--aa-quiet); font-weight: 400; float: none; width: auto; }
& .aa-fields dd { margin: 0; padding: 0; min-width: 0; max-height: 24em; overflow-y: auto; }
& .aa-fields .aa-fields { margin: 0; padding: 0; }
"""


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--aa-{name}: {colour};" for name, colour in colours.items())


def palette(selector: str) -> str:
    """CSS text that gives the elements of a selector the colours, as variables, in both themes.

    Example:
        >>> palette(":root")[:50]
        ':root { color-scheme: light; --aa-paper: #ffffff; '
    """
    return f"{selector} {{ {_IN_LIGHT} }}\n@media (prefers-color-scheme: dark) {{ {selector} {{ {_IN_DARK} }} }}\n"


def _style() -> str:
    on_light = ", ".join(f"{host} .agentassert" for host in _LIGHT_HOSTS)
    on_dark = ", ".join(f"{host} .agentassert" for host in _DARK_HOSTS)
    rules = _RULES.replace("&", _OURS)
    return f"{palette('.agentassert')}{on_light} {{ {_IN_LIGHT} }}\n{on_dark} {{ {_IN_DARK} }}{rules}"


_IN_LIGHT: Final = f"color-scheme: light; {_variables(_LIGHT)}"
_IN_DARK: Final = f"color-scheme: dark; {_variables(_DARK)}"

STYLE: Final = _style()
"""The CSS text that styles the fragments of :mod:`agentassert.reports.tree_html`."""
