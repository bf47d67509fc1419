"""Many generated expressions, and every known way out of such a language: none runs code, breaks the evaluation, or takes long.

A script of its own, because it is to run for as long as one likes: `python -m tests.fuzz_expressions --seconds 60`.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import Counter

from hypothesis import HealthCheck, Phase, given, seed, settings

from agentassert.expressions import RESULT_NAMES, Expression, ExpressionError
from tests.expressions.generated import ESCAPES, EXPRESSIONS, Hostile, values

LONGEST_S = 0.05
BATCH = 5_000
FORBIDDEN = {"exec", "import", "open", "os.system", "os.exec", "os.posix_spawn", "subprocess.Popen", "socket.connect"}

armed = False


def watch(event, arguments):
    """Refuse what only running code could do, while an expression is read and evaluated."""
    if armed and event in FORBIDDEN:
        raise RuntimeError(f"an expression reached {event} with {arguments!r}")


def attempt(text: str) -> tuple[str, float]:
    """What becomes of an expression, and how many seconds that takes."""
    global armed
    hostile = Hostile()
    given_values = values(hostile)
    armed = True
    started = time.thread_time()
    try:
        verdict = Expression.parse(text, RESULT_NAMES).evaluate(given_values)
        came_to = "satisfied" if verdict.satisfied else "not satisfied"
        if not verdict.satisfied and not verdict.reasons:
            raise RuntimeError(f"no reason why {text!r} is not satisfied")
    except ExpressionError as error:
        came_to = "refused"
        if not 1 <= error.column <= len(text) + 1:
            raise RuntimeError(f"{error!r} names no place") from error
    finally:
        armed = False
    taken = time.thread_time() - started
    if hostile.asked:
        raise RuntimeError(f"{text!r} asked an object for {hostile.asked}")
    return came_to, taken


def patient(text: str) -> tuple[str, float]:
    """The same, the quickest of three when the first was slow: the machine does other things, too."""
    came_to, taken = attempt(text)
    if taken > LONGEST_S:
        taken = min(attempt(text)[1] for _ in range(3))
    if taken > LONGEST_S:
        raise RuntimeError(f"{taken:.3f} s for {text!r}")
    return came_to, taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--expressions", type=int, default=100_000, help="how many")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for how long at most")
    parser.add_argument("--seed", type=int, default=0, help="of the first batch; the others follow")
    options = parser.parse_args()
    sys.addaudithook(watch)
    counts: Counter[str] = Counter()
    slowest = (0.0, "")
    end = time.monotonic() + options.seconds

    def check(text):
        nonlocal slowest
        came_to, taken = patient(text)
        counts[came_to] += 1
        slowest = max(slowest, (taken, text))

    for text in ESCAPES:
        check(text)
    profile = settings(
        max_examples=BATCH,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    batch = options.seed
    while counts.total() < options.expressions and time.monotonic() < end:
        seed(batch)(profile(given(EXPRESSIONS)(check)))()
        batch += 1
        gc.collect()
    sys.stdout.write(
        f"{counts.total():,} expressions: {', '.join(f'{count:,} {what}' for what, count in counts.most_common())}\n"
    )
    sys.stdout.write(f"slowest: {slowest[0] * 1000:.1f} ms for {slowest[1][:60]!r}\n")


if __name__ == "__main__":
    main()
