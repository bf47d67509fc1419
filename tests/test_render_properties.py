"""What holds of every rendering, whatever is rendered."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agentassert.records import Outcome, ToolExecution
from agentassert.render import arguments, difference, error, execution, pair, value


class Opaque:
    def __init__(self, text):
        self.text = text

    def __repr__(self):
        if not self.text:
            raise ValueError(self.text)
        return self.text


TEXTS = st.text(st.characters(), max_size=300) | st.sampled_from(
    ["password", "api_key", "Bearer abc", "sk-12345678", '{"token": "', "\x1b[0m"]
)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.binary(max_size=50) | st.builds(Opaque, TEXTS)
KEYS = st.none() | st.booleans() | st.integers() | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(KEYS, inner, max_size=5)
        | st.lists(inner, max_size=3).map(tuple)
        | st.sets(KEYS, max_size=3)
        | st.frozensets(KEYS, max_size=3)
    ),
    max_leaves=30,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text("ab'\n", max_size=150),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text("xyz", max_size=3), inner, max_size=4),
    max_leaves=25,
)
LIMITS = st.integers(40, 300)


@given(VALUES, LIMITS)
def test_a_value_is_one_printable_line_within_its_limit(shown, limit):
    text = value(shown, limit=limit)

    assert text.isprintable()
    assert 0 < len(text) <= limit


@given(VALUES)
def test_a_value_is_always_shown_the_same(shown):
    assert value(shown) == value(shown)


@given(JSON)
def test_a_json_value_that_fits_reads_as_its_repr(shown):
    assert repr(shown) == value(shown, limit=max(40, len(repr(shown))))


@given(VALUES, VALUES, LIMITS)
def test_a_pair_is_two_printable_lines_within_their_limit(expected, actual, limit):
    one, other = pair(expected, actual, limit=limit)

    assert (one + other).isprintable()
    assert max(len(one), len(other)) <= limit + len(" (another OrderedDict that prints the same)")


@given(JSON, JSON, LIMITS)
def test_two_json_values_that_print_differently_are_shown_differently(expected, actual, limit):
    if repr(expected) != repr(actual):
        one, other = pair(expected, actual, limit=limit)

        assert one != other


@given(st.dictionaries(KEYS, VALUES, max_size=5) | st.none(), VALUES, LIMITS)
def test_arguments_are_one_printable_line(parsed, raw, limit):
    text = arguments(parsed, raw, limit=limit)

    assert text.isprintable()
    assert len(text) <= limit + len("<no object: >")


@settings(max_examples=50)
@given(TEXTS, st.sampled_from(Outcome), VALUES, st.none() | TEXTS | TEXTS.map(ValueError))
def test_an_execution_is_one_printable_line(name, outcome, result, raised):
    line = execution(ToolExecution(id="1", name=name, arguments={}, result=result, error=raised, outcome=outcome), 1)

    assert line.isprintable()
    assert len(line) <= 400


@given(TEXTS, VALUES, VALUES)
def test_a_difference_is_one_printable_line(path, expected, actual):
    assert difference(path, expected, actual).isprintable()


@given(TEXTS)
def test_an_error_is_one_printable_line(text):
    assert error(ValueError(text)).isprintable()


@given(st.dictionaries(st.text("xyz", max_size=3), JSON), st.text("SECRT0123456789", min_size=8, max_size=400), LIMITS)
def test_the_value_of_a_secret_is_never_shown(around, secret, limit):
    shown = {
        **around,
        "password": secret,
        "nested": [{"X-Api-Key": [secret]}],
        "text": f"token=sk-{secret}",
        "json": f'{{"secret": "{secret}"}}',
    }

    assert secret not in value(shown, limit=limit)
    assert secret not in "".join(pair(shown, around, limit=limit))
