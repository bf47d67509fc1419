"""What is put in the place of others' attributes goes away again, and leaves them as they were."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
import threading
import types
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import pytest

from agentassert import adapters, capture, recorder
from agentassert.adapters.base import CHAT, Adapter, HookMissingError
from agentassert.adapters.importing import ImportWatcher
from agentassert.adapters.patching import replace, wrap_family, wrap_function, wrap_method
from agentassert.adapters.replacing import standing


class Base:
    def greet(self):
        return "hello"


class Greeter(Base):
    @classmethod
    def make(cls):
        return cls()

    def call(self):
        return "hi"


class Greeting(Adapter):
    """An adapter that wraps a method of its own, an inherited one and a class method; what they return tells how often."""

    name = "greeting"
    distribution = "attrs"
    tested = ("1.0", "99.0")
    sees = frozenset({CHAT})

    def install(self):
        wrap_method(Greeter, "call", louder)
        replace(Greeter, "greet", louder)
        replace(Greeter, "make", lambda make: classmethod(make.__func__))


class DetachingGreeting(Greeting):
    detaches = True


def louder(original):
    def wrapper(self):
        return original(self) + "!" if recorder.listening() else original(self)

    return wrapper


@pytest.fixture(autouse=True)
def untouched():
    """The class as it is written, whatever a test leaves behind."""
    before = dict(vars(Greeter))
    yield
    for name in vars(Greeter).keys() - before.keys():
        delattr(Greeter, name)
    for name in ("call", "make"):
        setattr(Greeter, name, before[name])


@pytest.fixture
def only(monkeypatch):
    """Have an adapter be the only one, called for by a module that is imported."""

    def only(*kinds):
        loaders = dict(zip((__name__, "sys", "threading"), [lambda kind=kind: kind for kind in kinds], strict=False))
        monkeypatch.setitem(sys.modules, __name__, mock.sentinel.module)
        monkeypatch.setattr(adapters, "_loaders", lambda: loaders)
        watcher = ImportWatcher(loaders, adapters._imported)
        monkeypatch.setattr(adapters, "_watcher", lambda: watcher)
        monkeypatch.setattr(adapters, "_installations", {})

    return only


def attributes():
    return {name: value for name, value in vars(Greeter).items() if name in ("call", "greet", "make")}


def test_uninstalling_puts_back_the_very_objects():
    before = attributes()
    adapter = Greeting()

    adapter.attach()
    within = attributes()
    adapter.uninstall()

    assert within.keys() == {"call", "greet", "make"}
    assert all(within[name] is not before.get(name) for name in within)
    assert attributes() == before
    assert all(value is before[name] for name, value in attributes().items())


def test_a_method_that_is_only_inherited_is_not_taken_for_the_one_that_is_hooked_into():
    with pytest.raises(HookMissingError, match="has no method 'greet'"):
        wrap_method(Greeter, "greet", louder)
    assert "greet" not in vars(Greeter)


def test_an_inherited_method_is_inherited_again():
    adapter = Greeting()
    adapter.attach()
    assert "greet" in vars(Greeter)

    adapter.uninstall()
    assert "greet" not in vars(Greeter)
    assert Greeter().greet() == "hello"


def louder_always(original):
    return lambda self: original(self) + "!"


def family_of(**body):
    """A class, and two that inherit from it by the same way; the one in between overrides nothing."""
    root = type("Root", (), {"call": lambda self: "root", **body})
    between = type("Between", (root,), {})
    return root, between, type("Leaf", (between, root), {"call": lambda self: "leaf"})


def test_a_family_is_wrapped_once_each_those_that_come_later_too():
    root, between, leaf = family_of()
    wrap_family(root, {"call": louder_always})

    class Later(leaf):
        call = None

    class Latest(Later):
        def call(self):
            return "latest"

    assert [kind().call() for kind in (root, between, leaf, Latest)] == ["root!", "root!", "leaf!", "latest!"]
    assert Later.call is None


def test_a_method_from_beside_the_family_is_wrapped_where_it_comes_in_and_nowhere_else():
    class Mixin:
        def call(self):
            return "mixin"

    root, between, _ = family_of()
    early = type("Early", (Mixin, between), {})
    below = type("Below", (early,), {})
    wrap_family(root, {"call": louder_always})
    late = type("Late", (Mixin, root), {})

    assert [kind().call() for kind in (early, below, late)] == ["mixin!"] * 3
    assert Mixin().call() == "mixin"
    assert "call" not in vars(below)


def test_what_a_class_does_with_those_that_inherit_from_it_is_done_as_before():
    seen = []

    class Mixin:
        def __init_subclass__(cls, **kwargs):
            super().__init_subclass__(**kwargs)
            seen.append((cls.__name__, kwargs))

    class Root:
        def call(self):
            return "root"

        def __init_subclass__(cls, mark, **kwargs):
            super().__init_subclass__(**kwargs)
            seen.append((cls.__name__, mark))

    plain, _, _ = family_of()
    for root in (Root, plain):
        wrap_family(root, {"call": louder_always})

    type("One", (Root, Mixin), {}, mark=1)
    type("Two", (plain, Mixin), {})

    assert seen == [("One", {}), ("One", 1), ("Two", {})]


def test_a_family_in_which_nobody_defines_the_method_is_not_what_is_hooked_into():
    with pytest.raises(HookMissingError, match="Greeter has no method 'greet'"):
        wrap_family(Greeter, {"greet": louder})
    assert "__init_subclass__" not in vars(Greeter)


class Desk:
    @staticmethod
    def add(one, other):
        return f"{one}+{other}"

    @classmethod
    def name(cls):
        return cls.__name__


def loud(original):
    return lambda *args: original(*args).upper()


class LoudDesk(Greeting):
    def install(self):
        wrap_function(Desk, "add", loud)
        wrap_function(Desk, "name", loud)


def test_a_function_of_a_class_stays_of_its_kind():
    before, adapter = dict(vars(Desk)), LoudDesk()
    adapter.attach()
    within = dict(vars(Desk))
    said = Desk.add("a", "b"), Desk().add("a", "b"), Desk.name(), Desk().name()
    adapter.uninstall()

    assert said == ("A+B", "A+B", "DESK", "DESK")
    assert [type(within[name]) for name in ("add", "name")] == [staticmethod, classmethod]
    assert all(vars(Desk)[name] is before[name] for name in ("add", "name"))


class Theirs:
    """A wrapper of another library, which passes for what it wraps."""

    def __init__(self, wrapped, mark):
        self.wrapped, self.mark, self.__func__ = wrapped, mark, wrapped.__func__

    @property
    def __class__(self):
        return type(self.wrapped)

    def __get__(self, instance, owner):
        bound = self.wrapped.__get__(instance, owner)
        return lambda *args: bound(*args) + self.mark


def test_a_function_of_a_class_that_another_library_has_wrapped_goes_through_its_wrapper():
    desk = type("Desk", (), {name: Theirs(vars(Desk)[name], "!") for name in ("add", "name")})
    for name in ("add", "name"):
        wrap_function(desk, name, loud)

    assert (desk.add("a", "b"), desk().add("a", "b"), desk.name(), desk().name()) == ("A+B!", "A+B!", "DESK!", "DESK!")


def test_a_method_of_an_object_in_the_place_of_a_function_keeps_its_object():
    module = types.ModuleType("greetings")
    module.greet = ["Ann"].__contains__
    module.call = Greeter().call
    for name in ("greet", "call"):
        wrap_function(module, name, lambda original: lambda *args: f"{original(*args)}!")

    assert (module.greet("Ann"), module.call()) == ("True!", "hi!")


@pytest.mark.parametrize(
    ("owner", "said"), [(Desk, rf"{__name__}\.Desk has no function 'sell'"), (sys.modules[__name__], f"{__name__} has no")]
)
def test_a_function_that_is_not_there_is_said(owner, said):
    with pytest.raises(HookMissingError, match=said):
        wrap_function(owner, "sell", loud)
    assert not hasattr(owner, "sell")


def test_what_others_have_wrapped_since_stays_and_is_inert():
    adapter = Greeting()
    adapter.attach()
    ours = vars(Greeter)["call"]

    @functools.wraps(ours)
    def theirs(self):
        return f"<{ours(self)}>"

    Greeter.call = theirs
    adapter.uninstall()

    assert vars(Greeter)["call"] is theirs
    assert Greeter().call() == "<hi>"


@pytest.mark.parametrize("tells", [True, False])
def test_what_is_below_a_wrapper_of_others_is_not_put_in_place_a_second_time(only, tells):
    only(DetachingGreeting)
    with capture():
        below = vars(Greeter)["call"]

        def theirs(self):
            return f"<{below(self)}>"

        Greeter.call = functools.wraps(below)(theirs) if tells else theirs

    with capture():
        assert Greeter().call() == "<hi!>"
    assert Greeter().call() == "<hi>"


def test_what_others_took_away_is_put_in_place_again(only):
    only(DetachingGreeting)
    original = vars(Greeter)["call"]
    with mock.patch.object(Greeter, "call", functools.wraps(original)(lambda self: f"<{original(self)}>")), capture():
        Greeter.call = functools.wraps(Greeter.call)(lambda self: "covered")
    assert vars(Greeter)["call"] is original

    with capture():
        assert Greeter().call() == "hi!"
    assert vars(Greeter)["call"] is original


def test_what_a_class_was_written_with_has_nothing_of_ours_below_it(only):
    only(DetachingGreeting)
    original = vars(Greeter)["call"]
    Greeter.call = lambda self: f"<{original(self)}>"
    with capture():
        Greeter.call = original

    with capture():
        assert Greeter().call() == "hi!"
    assert vars(Greeter)["call"] is original


def test_wrappers_that_go_in_a_circle_end_nothing(only):
    only(DetachingGreeting)
    with capture():
        Greeter.call = circle = functools.wraps(Greeter.call)(lambda self: "round")
        circle.__wrapped__ = circle

    with capture():
        assert Greeter().call() == "round"


def test_an_installation_that_breaks_off_leaves_nothing_in_place():
    class Broken(Greeting):
        def install(self):
            super().install()
            wrap_method(Greeter, "wave", louder)

    before = attributes()
    with pytest.raises(HookMissingError, match=r"Greeter has no method 'wave'"):
        Broken().attach()

    assert attributes() == before


def test_what_is_no_method_is_not_wrapped(monkeypatch):
    monkeypatch.setattr(Greeter, "wave", "a word", raising=False)

    with pytest.raises(HookMissingError, match=r"Greeter has no method 'wave'"):
        wrap_method(Greeter, "wave", louder)
    assert Greeter.wave == "a word"


def test_an_adapter_that_only_has_an_install_method_works_as_ever():
    Greeting().install()

    assert vars(Greeter)["call"].__wrapped__ is not None


def test_an_adapter_that_was_never_installed_can_be_uninstalled():
    before = attributes()
    Greeting().uninstall()

    assert attributes() == before


def test_adapters_of_clients_are_in_place_while_any_capture_is_open(only):
    only(DetachingGreeting)
    before = attributes()

    with capture():
        with capture():
            assert Greeter().call() == "hi!"
        assert Greeter().call() == "hi!"
    between = attributes()
    with capture():
        again = Greeter().call()

    assert (again, Greeter().call()) == ("hi!", "hi")
    assert all(value is before[name] for name, value in between.items())
    assert between == before == attributes()


def test_adapters_of_frameworks_stay_in_place(only):
    only(Greeting)
    with capture():
        within = attributes()

    assert attributes() == within
    assert Greeter().call() == "hi"


def test_captures_that_overlap_keep_an_adapter_in_place_to_the_last(only):
    only(DetachingGreeting)
    before = attributes()
    first, second = capture(), capture()

    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    wrapped = vars(Greeter)["call"] is not before["call"]
    second.__exit__(None, None, None)

    assert wrapped
    assert attributes() == before


def test_captures_in_many_threads_never_find_it_missing_and_leave_nothing(only):
    only(DetachingGreeting)
    before = attributes()
    together = threading.Barrier(8, timeout=30)

    def record(_):
        together.wait()
        heard = set()
        for _ in range(50):
            with capture():
                heard.add(Greeter().call())
        return heard

    with ThreadPoolExecutor(8) as pool:
        heard = set().union(*pool.map(record, range(8)))

    assert heard == {"hi!"}
    assert attributes() == before


def test_one_that_is_installed_when_the_last_capture_has_closed_is_taken_out_again(only):
    only(DetachingGreeting)
    before = attributes()

    adapters._imported(__name__)

    assert attributes() == before
    with capture():
        assert Greeter().call() == "hi!"


def test_one_that_cannot_be_put_back_is_a_fault_and_spares_the_others(only):
    class Breaking(DetachingGreeting):
        def install(self):
            pass

        def attach(self):
            if self._replacements is not None:
                raise RuntimeError("kaput")
            super().attach()

    only(Breaking, DetachingGreeting)
    with capture():
        pass
    with capture(on_doubt="fail") as cap:
        assert Greeter().call() == "hi!"

    assert cap.health.faults == ("the greeting adapter broke: RuntimeError: kaput",)


REGISTERED = {"langchain_core.tracers.context"}
"""What calls for an adapter that replaces nothing: its framework takes hooks."""

REPLACING = [
    trigger
    for trigger in adapters._BUILT_IN
    if trigger not in REGISTERED and importlib.util.find_spec(trigger.partition(".")[0]) is not None
]


@pytest.mark.parametrize("trigger", REPLACING)
def test_uninstalling_a_built_in_adapter_leaves_every_attribute_as_it_was(trigger):
    try:
        importlib.import_module(trigger)
    except ImportError:
        pytest.skip(f"{trigger} is not part of the installed version")
    adapter = adapters._BUILT_IN[trigger]()()

    adapter.attach()
    # What is replaced twice was there before the first time.
    replaced = {(one._owner, one._name): (one._was_there, one._was_own) for one in reversed(adapter._replacements)}
    within = {(owner, name): vars(owner)[name] for owner, name in replaced}
    adapter.uninstall()

    assert replaced
    for (owner, name), (was_there, was_own) in replaced.items():
        assert within[owner, name] is not was_there
        assert standing(owner, name) is was_there
        assert (name in vars(owner)) is was_own
