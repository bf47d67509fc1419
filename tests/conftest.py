"""What every test stands on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.pytester import Pytester, SysModulesSnapshot
from hypothesis import HealthCheck, settings

from agentassert import recorder
from agentassert.doubles import functions

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")  # read when Haystack is imported
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it looks prices up when it is imported

# How long an example takes says how busy the machine is.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def project() -> Path:
    """The folder that holds the project."""
    return Path(__file__).parent.parent


@pytest.fixture(scope="session", autouse=True)
def _pytest_inside_pytest_forgets_its_own_files_only(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """It forgets every library that it was the first to load, too; the second copy of one, loaded later, goes its own ways."""
    folder = tmp_path_factory.getbasetemp()

    def is_a_library(name: str) -> bool:
        spec = getattr(sys.modules[name], "__spec__", None)
        return spec is not None and spec.origin is not None and folder not in Path(spec.origin).parents

    def snapshot(_: Pytester) -> SysModulesSnapshot:
        return SysModulesSnapshot(preserve=is_a_library)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pytester, "_Pytester__take_sys_modules_snapshot", snapshot)
        yield


@pytest.fixture(autouse=True)
def _nothing_left_open() -> Iterator[None]:
    """A capture that a test leaves open would record, and confuse, every test after it."""
    yield
    assert recorder.open_captures == ()
    assert recorder._scope.get() is None


@pytest.fixture(autouse=True)
def _decorated_functions_of_this_test() -> Iterator[None]:
    """A tool that one test decorates is none that another one's loop could have called."""
    before = set(functions.known)
    yield
    functions.known.clear()
    functions.known.update(before)
