"""Adapters are found, installed once, and say what is wrong with them."""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.util
import subprocess
import sys
import threading
import warnings
import zipfile

import pytest

from agentassert import CaptureWarning, adapters, capture, record
from agentassert.adapters.base import CHAT, Adapter, HookMissingError
from agentassert.adapters.importing import ImportWatcher
from agentassert.adapters.patching import wrap_method


class Imaginary(Adapter):
    """An adapter of a framework that is attrs."""

    name = "imaginary"
    distribution = "attrs"
    tested = ("1.0", "99.0")
    sees = frozenset({CHAT})
    installed = 0

    def install(self):
        type(self).installed += 1


@pytest.fixture
def register(monkeypatch, tmp_path):
    """Put an adapter class in the place of all others, and give the name of the module whose import calls for it."""
    monkeypatch.syspath_prepend(tmp_path)

    def register(adapter, *, load=None, source="", imported=True):
        trigger = f"imaginary_{adapter.__name__.lower()}"
        (tmp_path / f"{trigger}.py").write_text(source, "utf-8")
        importlib.invalidate_caches()
        loaders = {trigger: load or (lambda: adapter)}
        monkeypatch.setattr(adapters, "_loaders", lambda: loaders)
        watcher = ImportWatcher(loaders, adapters._imported)
        monkeypatch.setattr(adapters, "_watcher", lambda: watcher)
        monkeypatch.setattr(adapters, "_installations", {})
        monkeypatch.delitem(sys.modules, trigger, raising=False)
        if imported:
            importlib.import_module(trigger)
        return trigger

    yield register
    for name in [name for name in sys.modules if name.startswith("imaginary_")]:
        del sys.modules[name]


def test_an_adapter_whose_framework_is_imported_is_installed_once(register):
    class Once(Imaginary):
        installed = 0

    register(Once)
    with capture() as cap, capture() as inner:
        pass

    assert Once.installed == 1
    assert (cap.visibility["imaginary"], inner.visibility["imaginary"]) == ({CHAT}, {CHAT})


def test_an_adapter_whose_framework_is_not_imported_is_left_alone(register):
    class Absent(Imaginary):
        installed = 0

    register(Absent, imported=False)
    with capture() as cap:
        pass

    assert (Absent.installed, "imaginary" in cap.visibility) == (0, False)


def test_a_framework_imported_inside_the_block_is_met(register):
    class Late(Imaginary):
        installed = 0

    trigger = register(Late, source="ready = True", imported=False)
    with capture() as cap:
        module = importlib.import_module(trigger)

    assert (Late.installed, module.ready, cap.visibility["imaginary"]) == (1, True, {CHAT})
    assert isinstance(module.__loader__, importlib.machinery.SourceFileLoader)
    assert module.__spec__.loader is module.__loader__
    assert "exec_module" not in vars(module.__loader__)


def test_a_framework_imported_by_another_thread_is_met(register):
    class Threaded(Imaginary):
        installed = 0

    trigger = register(Threaded, imported=False)
    with capture() as cap:
        thread = threading.Thread(target=importlib.import_module, args=(trigger,))
        thread.start()
        thread.join()

    assert cap.visibility["imaginary"] == {CHAT}


def test_imports_are_watched_only_while_a_capture_is_open(register):
    register(Imaginary, imported=False)
    watcher = adapters._watcher()

    with capture():
        with capture():
            assert watcher in sys.meta_path
        assert watcher in sys.meta_path
    assert watcher not in sys.meta_path


def test_a_module_that_raises_when_imported_raises_as_ever(register):
    class Raising(Imaginary):
        installed = 0

    trigger = register(Raising, source="raise RuntimeError('no')", imported=False)
    with capture(), pytest.raises(RuntimeError, match="no"):
        importlib.import_module(trigger)

    assert Raising.installed == 0


def test_a_module_that_is_not_there_is_not_there(register):
    trigger = register(Imaginary, imported=False)
    with capture(), pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{trigger}_else")


def test_a_loader_that_can_only_load_is_left_alone():
    class Loader:
        pass

    class Finder:
        @staticmethod
        def find_spec(fullname, path, target=None):
            return importlib.machinery.ModuleSpec(fullname, Loader()) if fullname == "imaginary_legacy" else None

    seen = []
    watcher = ImportWatcher({"imaginary_legacy", "imaginary_nowhere"}, seen.append)
    sys.meta_path.insert(0, Finder)
    watcher.start()
    try:
        assert type(importlib.util.find_spec("imaginary_legacy").loader) is Loader
        assert importlib.util.find_spec("imaginary_nowhere") is None
    finally:
        watcher.stop()
        sys.meta_path.remove(Finder)
    assert seen == []


def test_two_watchers_of_one_module_both_tell_and_never_ask_each_other_for_ever(tmp_path, monkeypatch):
    (tmp_path / "imaginary_twice.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    seen = []
    watchers = [ImportWatcher({"imaginary_twice", "imaginary_nowhere"}, seen.append) for _ in range(2)]
    for watcher in watchers:
        watcher.start()
    try:
        assert importlib.util.find_spec("imaginary_nowhere") is None
        importlib.import_module("imaginary_twice")
    finally:
        for watcher in watchers:
            watcher.stop()
        sys.modules.pop("imaginary_twice", None)
    assert seen == ["imaginary_twice", "imaginary_twice"]


def test_an_untested_major_version_is_said_once_and_noted_each_time(register):
    class Old(Imaginary):
        tested = ("1.0", "2.3")

    register(Old)
    with pytest.warns(CaptureWarning, match=r"attrs \d+\S* is installed; the imaginary adapter was tested with 1.0 to 2.3"):
        first = opened_and_closed()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        second = opened_and_closed()

    assert first.health.notes == second.health.notes != ()
    assert all("recording is in doubt" in str(warning.message) for warning in said)


def opened_and_closed():
    with capture(on_doubt="fail") as cap:
        pass
    return cap


def test_a_hook_that_is_missing_is_said_and_the_adapter_sees_nothing(register):
    class Missing(Imaginary):
        def install(self):
            raise HookMissingError("attrs has no function 'run'")

    register(Missing)
    with pytest.warns(CaptureWarning, match="has no function 'run': what happens there is not recorded"):
        cap = opened_and_closed()

    assert "imaginary" not in cap.visibility
    assert len(cap.health.notes) == 1


def test_a_warning_that_is_an_error_does_not_leave_an_import(register):
    class Old(Imaginary):
        tested = ("1.0", "2.3")

    trigger = register(Old, imported=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with capture(on_doubt="fail") as cap:
            importlib.import_module(trigger)

    assert len(cap.health.notes) == 1


@pytest.mark.parametrize("imported", [True, False])
def test_an_adapter_that_is_broken_leaves_the_agent_alone_and_fails_every_capture(register, imported):
    def load():
        raise SyntaxError("broken")

    trigger = register(Imaginary, load=load, imported=imported)
    with capture(on_doubt="fail") as first:
        importlib.import_module(trigger)
        with record.invocation("agent"):
            pass
    second = opened_and_closed()

    for cap in (first, second):
        assert cap.health.faults == (f"the {trigger} adapter broke: SyntaxError: broken",)


def test_a_distribution_that_is_not_installed_has_an_unknown_version(register):
    class Unknown(Imaginary):
        distribution = "no-such-distribution"

    register(Unknown)
    with pytest.warns(CaptureWarning, match="no-such-distribution of unknown version is installed"):
        opened_and_closed()


def announce(site, *, archived=False):
    """Put a distribution that announces an adapter below a folder, or into an archive; gives its place on the path."""
    name, text = "some-1.dist-info/entry_points.txt", f"[agentassert.adapters]\nsome_framework = {__name__}:Imaginary\n"
    if archived:
        with zipfile.ZipFile(site / "some.zip", "w") as archive:
            archive.writestr(name, text)
            archive.writestr("some-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: some\nVersion: 1\n")
        return site / "some.zip"
    (site / "some-1.dist-info").mkdir()
    (site / name).write_text(text, "utf-8")
    return site


@pytest.mark.parametrize("archived", [False, True])
def test_adapters_of_others_are_found_by_their_entry_points(monkeypatch, tmp_path, archived):
    monkeypatch.syspath_prepend(announce(tmp_path, archived=archived))
    adapters._loaders.cache_clear()
    try:
        assert set(adapters._loaders()) == {"some_framework", *adapters._BUILT_IN}
        assert adapters._loaders()["some_framework"]().name == "imaginary"
    finally:
        adapters._loaders.cache_clear()


def test_langchain_imported_inside_the_block_is_recorded():
    code = """if True:
        import sys
        from agentassert import capture
        with capture() as cap:
            assert "langchain_core" not in sys.modules
            from tests.adapters.agents import QUESTION, agent, get_booking
            from tests.scripted.langchain import asks_for, says
            agent(asks_for(("get_booking", {"number": "1"}, "c1")), says("bye"), tools=[get_booking]).invoke(QUESTION)
        assert cap.invocation.name == "support", cap
        assert [execution.call_id for execution in cap.invocation.tool_executions] == ["c1"]
        assert cap.health.doubts == (), cap.health
    """
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_capture_costs_no_framework_import():
    code = "from agentassert import capture\nwith capture(): pass\nimport sys; assert 'langchain_core' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_module_of_the_programs_own_that_only_shares_the_name_is_left_alone(register):
    class Namesake(Imaginary):
        distribution = "no-such-distribution"

        @classmethod
        def meets_framework(cls):
            return False

    register(Namesake)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cap = opened_and_closed()

    assert cap.health.doubts == ()
    assert "imaginary" not in cap.visibility
    assert Namesake.installed == 0


def test_what_others_took_out_with_their_own_is_put_back_for_the_next_capture(register):
    class Robot:
        def work(self):
            return "done"

    written = Robot.work

    class Marks(Imaginary):
        detaches = False

        def install(self):
            wrap_method(Robot, "work", lambda original: lambda robot: f"recorded: {original(robot)}")

    register(Marks)
    with capture():
        assert Robot().work() == "recorded: done"
    Robot.work = written  # as an instrumentor does that was there first, and is switched off
    with capture():
        assert Robot().work() == "recorded: done"
        with capture():
            assert Robot().work() == "recorded: done"
