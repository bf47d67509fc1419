"""How many tokens a model call used."""

from __future__ import annotations

from typing import Any

import attrs


def _token_count(_: Any, attribute: attrs.Attribute[int | None], value: int | None) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise ValueError(f"{attribute.name} must be a number of tokens, 0 or more, or None for not reported, but was {value!r}")


@attrs.frozen(kw_only=True)
class TokenUsage:
    """The tokens that a model call used; `None` means not reported, never 0.

    Args:
        input_tokens: tokens read by the model.
        output_tokens: tokens written by the model.
        total_tokens: their sum as reported; computed when both parts are given and it is not.

    Raises:
        ValueError: when a count is negative or no whole number.

    Example:
        >>> TokenUsage(input_tokens=11, output_tokens=3).total_tokens
        14
        >>> TokenUsage(input_tokens=11).total_tokens is None
        True
    """

    input_tokens: int | None = attrs.field(default=None, validator=_token_count)
    output_tokens: int | None = attrs.field(default=None, validator=_token_count)
    total_tokens: int | None = attrs.field(default=None, validator=_token_count)

    def __attrs_post_init__(self) -> None:
        if self.total_tokens is None and self.input_tokens is not None and self.output_tokens is not None:
            object.__setattr__(self, "total_tokens", self.input_tokens + self.output_tokens)

    def __add__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            input_tokens=_added(self.input_tokens, other.input_tokens),
            output_tokens=_added(self.output_tokens, other.output_tokens),
            total_tokens=_added(self.total_tokens, other.total_tokens),
        )


def _added(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return one if other is None else other
    return one + other
