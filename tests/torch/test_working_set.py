"""Every program of the working set, with and without prepare_debug: what runs, what comes out, and what lies in the dump."""

import builtins
import copy
import logging
import pathlib
import warnings
from types import CodeType
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import pytest
import torch
import working_set
from test_nothing_changes import everything_but_lines
from torch._dynamo import convert_frame

import depyf
from depyf.utils import collect_all_code_objects

JOBS = [(name, dynamic) for name, _, _ in working_set.CASES for dynamic in (None, True)]
FUNCTIONS = {name: (function, options) for name, function, options in working_set.CASES}


# Programs whose graphs run in their own process only.
LIVE_ONLY = {
    "numpy_ops": "the graph calls an object that Dynamo made and that no import leads to",
    "checkpoint": "the operator changes the graph that it is handed, so it must be torch's own object",
}


ONCE = ("coroutine ", "Dynamo does not know how to trace the builtin")


class Run(NamedTuple):
    """One program with prepare_debug."""

    folder: pathlib.Path
    made: List[Tuple[CodeType, CodeType]]  # what Dynamo handed over: original, transformed
    running: List[CodeType]  # what was handed back to it
    outcomes: List[Any]
    plain: List[Any]  # without prepare_debug
    warned: List[str]
    warned_plain: List[str]


def outcomes(name: str, dynamic: Optional[bool]) -> Tuple[List[Any], List[str]]:
    """The leaves of each result, or the type of the exception; and the warnings."""
    function, options = FUNCTIONS[name]
    found: List[Any] = []
    saved = copy.deepcopy(working_set.G), working_set.GL
    torch._dynamo.reset()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for args in working_set.args_for(name, function, options):
            if options.get("grad"):
                args = tuple(tensor.detach().clone().requires_grad_() for tensor in args)
            torch.manual_seed(0)
            try:
                result = torch.compile(function, backend="eager", dynamic=dynamic)(
                    *copy.deepcopy(args) if not options.get("grad") else args, **working_set.KW.get(name, {})
                )
                found.append([comparable(leaf) for leaf in working_set.flat(result)])
            except Exception as error:
                found.append(type(error))
    working_set.G.clear()
    working_set.G.update(saved[0])
    working_set.GL = saved[1]
    # What is drawn whenever memory is collected, or once for each builtin in a process, says nothing.
    late = [w for w in caught if issubclass(w.category, ResourceWarning) or str(w.message).startswith(ONCE)]
    return found, sorted(str(w.message) for w in caught if w not in late)


def comparable(leaf: Any) -> Any:
    """Equal only where the bits are."""
    if isinstance(leaf, torch.Tensor):
        data = leaf.detach().contiguous()
        return (leaf.dtype, tuple(leaf.shape), data.reshape(-1).view(torch.uint8).tolist() if data.numel() else [])
    if type(leaf) in (int, float, str, bool, type(None), bytes, complex):
        return (type(leaf), repr(leaf))
    return type(leaf).__name__


_runs: Dict[Tuple[str, Optional[bool]], Run] = {}


@pytest.fixture(params=JOBS, ids=lambda job: "%s-dynamic=%s" % job)
def observed(request: Any, tmp_path_factory: Any) -> Run:
    """Runs each program once for all the tests."""
    if request.param not in _runs:
        logging.getLogger("torch._dynamo").setLevel(logging.CRITICAL)
        plain, warned_plain = outcomes(*request.param)
        folder = tmp_path_factory.mktemp("dump")
        made: List[Tuple[CodeType, CodeType]] = []
        running: List[CodeType] = []
        first = convert_frame.register_bytecode_hook(lambda old, new: made.append((old, new)))
        try:
            with depyf.prepare_debug(str(folder)):
                last = convert_frame.register_bytecode_hook(lambda old, new: running.append(new))
                try:
                    watched, warned = outcomes(*request.param)
                finally:
                    last.remove()
        finally:
            first.remove()
            torch._dynamo.reset()
        _runs[request.param] = Run(folder, made, running, watched, plain, warned, warned_plain)
    return _runs[request.param]


def test_the_running_bytecode_is_dynamos(observed: Run) -> None:
    assert len(observed.made) == len(observed.running)
    for (original, made), running in zip(observed.made, observed.running):
        assert everything_but_lines(made) == everything_but_lines(running)
        assert running.co_filename.startswith(str(observed.folder))
        # The user's own functions inside stay the very objects, with the user's lines.
        users = {id(code) for code in collect_all_code_objects(original)[1:]}
        inside = [code for code in collect_all_code_objects(made)[1:] if id(code) in users]
        still = {id(code) for code in collect_all_code_objects(running)}
        assert all(id(code) in still for code in inside)


def test_results_and_warnings_are_the_same(observed: Run) -> None:
    assert observed.outcomes == observed.plain
    assert set(observed.warned) <= set(observed.warned_plain)  # torch says some things only once


def test_every_file_parses_and_nothing_is_missing(observed: Run) -> None:
    for path in observed.folder.glob("*.py"):
        compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)
        assert "\n# def " not in path.read_text(encoding="utf-8"), path  # nothing had to become a comment
    assert len(list(observed.folder.glob("__transformed_code_*.py"))) == len(observed.made)
    assert "## Not dumped" not in (observed.folder / "index.md").read_text(encoding="utf-8")


def test_every_transformed_module_imports_and_binds_its_names(observed: Run) -> None:
    for path in observed.folder.glob("__transformed_code_*.py"):
        text = path.read_text(encoding="utf-8")
        assert "__constant(" not in text, path
        module: Dict[str, Any] = {"__name__": path.stem}
        exec(compile(text, str(path), "exec", dont_inherit=True), module)
        assert any(path.stem in name for name in module)
        unbound = set(names_of_globals(text)) - set(module) - set(dir(builtins))
        for name in unbound:
            assert "# %s: " % name in text, (path, name)


def test_full_code_runs(observed: Run, request: Any) -> None:
    """Its dispatcher gives what the program gives, on the inputs that it has been compiled for."""
    name, dynamic = request.node.callspec.params["observed"]
    function, options = FUNCTIONS[name]
    if name in LIVE_ONLY:
        pytest.skip(LIVE_ONLY[name])
    for path in observed.folder.glob("full_code_for_%s_0.py" % name):
        module: Dict[str, Any] = {"__name__": "full_code"}
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True), module)
        keywords = working_set.KW.get(name, {})
        for args, outcome in zip(working_set.args_for(name, function, options), observed.plain):
            arguments = copy.deepcopy(args) if not options.get("grad") else args
            if isinstance(outcome, type):  # what torch.compile raises, whether the program does or not
                with pytest.raises(outcome):
                    module["compiled_" + name](*arguments, **keywords)
                continue
            want = function(*copy.deepcopy(args) if not options.get("grad") else args, **keywords)
            assert working_set.eq(want, module["compiled_" + name](*arguments, **keywords))


def names_of_globals(text: str) -> List[str]:
    """What the functions of a module look up as globals."""
    import symtable

    found: List[str] = []
    tables = [symtable.symtable(text, "dump", "exec")]
    for table in tables:
        tables += table.get_children()
        if table.get_type() == "function":
            found += [symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()]
    return found
