"""How the documentation is built: sphinx-build -n -W --keep-going docs docs/_build."""

from __future__ import annotations

import agentassert

project = "agentassert"
author = "the agentassert authors"
project_copyright = author
version = release = agentassert.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "agentassert"
html_static_path = ["_static"]
html_css_files = ["wide.css"]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
default_role = "code"
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
maximum_signature_line_length = 100
python_trailing_comma_in_multi_line_signatures = False
napoleon_google_docstring = True
napoleon_numpy_docstring = False

# The standard library and the dependencies are linked nowhere, so that a build needs no network.
nitpick_ignore = [
    ("py:attr", "output"),
    ("py:func", "execution_of"),
    ("py:func", "run"),
    ("py:func", "run_async"),
    ("py:meth", "Adapter.driver"),
]
nitpick_ignore_regex = [
    # What users are given and need no name for.
    ("py:class", r".*\b(CaptureBlock|SoftAssertions|ResultReference|ValueAssertion|ModelCallEvent|Sources|Expected|_F|_P)"),
    ("py:class", r".*\b(ConversationBlock|Double|Failure|OnDoubt|Pitfalls|RasaAssertion|SpanSource|UnreportedTools)"),
    ("py:class", r".*\b(Embed|Mode|Moderate|_Given)"),
    ("py:.*", r"(collections|contextlib|datetime|enum|os|pathlib|re|types|typing|attr|attrs|assertpy)\..*"),
    (
        "py:.*",
        r"(Any|Callable|tuple\[str|Iterable|Iterator|Mapping|Sequence|Pattern|datetime|TracebackType|BaseException|StrEnum)",
    ),
]
