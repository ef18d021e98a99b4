"""The only file that touches torch's private names.

Which release has what (read from the wheels):

| | 2.2 | 2.4 | 2.6 | 2.8 | 2.9 | 2.13 - 2.15 |
|---|---|---|---|---|---|---|
| trace logger (torch.__trace) | - | yes | yes | yes | yes | yes |
| recompile reasons, graph break reasons, output code | - | - | yes | yes | yes | yes |
| graphs before and after the pre-grad and post-grad passes | - | - | - | yes | yes | yes |
| guards of a cache entry | check_fn | check_fn (C++) | guard_manager | = | = | = |
| prefix of resume functions | resume_in_ | torch_dynamo_resume_in_ | = | = | = | = |
| uuid in the names of compiled functions | - | - | - | yes | yes | yes |
| frame values in lists on the stack | - | - | - | - | yes | yes |

Every function here answers "nothing" where the installed torch lacks a name, and `missing()` says which those are.
"""

import logging
import re
import sys
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import torch

RESUME_PREFIXES = ("torch_dynamo_resume_in_", "resume_in_")
COMPILED_FUNCTION = re.compile(r"__compiled_fn_(\d+)(?:_[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12})?")

_SINCE = {  # kind of file -> the first release whose trace has it; see the table above
    "Captured_Graph": "2.3",
    "Joint_graph": "2.3",
    "Forward_graph": "2.3",
    "Backward_graph": "2.3",
    "kernel": "2.6",
    "recompile_reasons": "2.6",
    "dynamo_graph_break_reason": "2.6",
    "Before_pre_grad_graph": "2.8",
    "After_pre_grad_graph": "2.8",
    "Before_joint_graph": "2.8",
    "After_joint_graph": "2.8",
    "Before_post_grad_graph": "2.8",
    "changed files under debug()": "2.8",
}
_missing: Dict[str, str] = {}


def missing() -> Dict[str, str]:
    """Kind of artifact -> why the installed torch cannot give it, as far as has been noticed."""
    found = dict(_missing)
    for kind, since in _SINCE.items():
        if _version() < tuple(int(part) for part in since.split(".")):
            found[kind] = "torch %s: comes with %s and later" % (torch.__version__, since)
    return found


def _version() -> Tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", torch.__version__)[:2])


def _lacks(kind: str, reason: str) -> None:
    _missing.setdefault(kind, "torch %s: %s" % (torch.__version__, reason))


def stable_name(name: str) -> str:
    """A compiled function's name without the uuid, which differs from run to run."""
    return COMPILED_FUNCTION.sub(lambda match: "__compiled_fn_" + match.group(1), name)


def original_name(name: str) -> str:
    """`f` for the name of one of f's resume functions, `torch_dynamo_resume_in_f_at_7`; other names as they are."""
    for prefix in RESUME_PREFIXES:
        if name.startswith(prefix):
            return name[len(prefix) :].rpartition("_at_")[0]
    return name


def is_resume_function(code: CodeType) -> bool:
    """Whether Dynamo made this code to go on behind a graph break."""
    return code.co_name.startswith(RESUME_PREFIXES)


def resume_code(value: Any) -> Optional[CodeType]:
    """The code of the resume function behind a global of Dynamo's: the function itself or, where it has free variables,
    one that makes it from a tuple of cells."""
    code = getattr(value, "__code__", None)
    if not isinstance(code, CodeType):
        return None
    if "code" in code.co_freevars and not is_resume_function(code):
        cell = value.__closure__[code.co_freevars.index("code")]
        inner = cell.cell_contents
        return inner if isinstance(inner, CodeType) else None
    return code


def register_bytecode_hook(hook: Callable[[CodeType, CodeType], Optional[CodeType]]) -> Any:
    """`hook(original, transformed)` may return another code object to run. The handle has `remove()`."""
    from torch._dynamo import convert_frame

    return convert_frame.register_bytecode_hook(hook)


def trace_logger() -> Optional[logging.Logger]:
    """Where torch.compile logs its structured trace (2.3 and later)."""
    internal = getattr(getattr(torch, "_logging", None), "_internal", None)
    logger = getattr(internal, "trace_log", None)
    if not isinstance(logger, logging.Logger):
        _lacks("structured trace", "there is no trace logger before 2.3; graphs come without it")
        return None
    return logger


def compile_id() -> str:
    """`frame/attempt` of the compilation in progress, as torch prints it; "" outside of one."""
    try:
        current = torch._guards.CompileContext.current_compile_id()
    except AttributeError:
        return ""
    return "" if current is None else str(current)


def _callers() -> Iterator[FrameType]:
    frame: Optional[FrameType] = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def frame_globals() -> Dict[str, Any]:
    """The globals of the frame that Dynamo is compiling, seen from inside a bytecode hook."""
    for frame in _callers():
        if frame.f_code.co_name == "_compile" and frame.f_code.co_filename.endswith("convert_frame.py"):
            found = frame.f_locals.get("globals")
            return found if isinstance(found, dict) else {}
    return {}


def dynamo_frame() -> Any:
    """The user's frame that Dynamo is compiling (f_code, f_locals), seen from inside a bytecode hook; None if unknown."""
    for frame in _callers():
        if frame.f_code.co_name == "_compile" and frame.f_code.co_filename.endswith("convert_frame.py"):
            return frame.f_locals.get("frame")
    return None


def graph_in_progress(kind: str) -> Tuple[str, Any]:
    """(name of the compiled function or "", graph module or None) while the record of a graph is being logged."""
    variables = {
        "Captured_Graph": ("gm",),
        "Joint_graph": ("fx_g",),
        "Forward_graph": ("fw_module",),
        "Backward_graph": ("bw_module",),
        "Inference_graph": ("fw_module",),
    }.get(kind, ())
    for depth, frame in enumerate(_callers()):
        if depth > 20:
            break
        for variable in variables:
            module = frame.f_locals.get(variable)
            if isinstance(module, torch.fx.GraphModule):
                name = frame.f_locals.get("name", "")
                return (name if isinstance(name, str) and COMPILED_FUNCTION.fullmatch(name) else ""), module
    return "", None


def cache_entries(code: CodeType) -> List[Any]:
    """Dynamo's cache of `code`, in the order in which it is searched."""
    try:
        from torch._dynamo.eval_frame import _debug_get_cache_entry_list

        return list(_debug_get_cache_entry_list(code))
    except Exception as error:
        _lacks("cache entries", str(error))
        return []


def run_instead(code: CodeType, pairs: List[Tuple[Any, CodeType]]) -> None:
    """Lets Dynamo run for each cache entry of `code` the code object paired with it, under the entry's own guards.

    Raises RuntimeError before torch 2.8.
    """
    try:
        from torch._C._dynamo.eval_frame import _load_precompile_entry, _reset_precompile_entries
    except ImportError:
        raise RuntimeError(
            "torch %s cannot exchange what was compiled; 2.8 and later can" % torch.__version__
        ) from None

    _reset_precompile_entries(code)
    for entry, replacement in pairs:
        _load_precompile_entry(code, entry.guard_manager, replacement)


def run_as_compiled(code: CodeType) -> None:
    """Undoes run_instead."""
    from torch._C._dynamo.eval_frame import _reset_precompile_entries

    _reset_precompile_entries(code)


def entry_guards(entry: Any) -> str:
    """The guards of a cache entry as text: torch's own tree of checks (2.4+) or its Python expression (2.2, 2.3)."""
    manager = getattr(entry, "guard_manager", None)
    if manager is not None:
        return str(manager)
    check = getattr(entry, "check_fn", None)
    tree = getattr(check, "guard_manager", None)
    if tree is not None:
        return str(tree)
    parts = getattr(check, "code_parts", None)
    return "\n".join(str(part) for part in parts) if parts else ""


def entry_compile_id(entry: Any) -> str:
    """`frame/attempt` of the compilation that made a cache entry; "" where torch does not keep it."""
    return str(getattr(entry, "compile_id", "") or "")


def compiled_codes() -> List[CodeType]:
    """Original code objects that Dynamo has seen in this process and that still exist."""
    try:
        from torch._dynamo import convert_frame

        found = []
        for reference in convert_frame.input_codes.seen:
            code = reference() if callable(reference) else reference
            if isinstance(code, CodeType):
                found.append(code)
        return found
    except AttributeError as error:
        _lacks("functions compiled before", str(error))
        return []


def innermost_function(fn: Any) -> Any:
    """The user's function behind the wrappers of torch.compile."""
    from torch._dynamo.eval_frame import innermost_fn

    return innermost_fn(fn)


def inductor_modules() -> List[ModuleType]:
    """Modules of generated code that Inductor has loaded."""
    codecache = sys.modules.get("torch._inductor.codecache")
    cache = getattr(codecache, "PyCodeCache", None)
    found = getattr(cache, "modules", None)
    if found is None:
        found = list(getattr(cache, "cache", {}).values())
    return [module for module in found if isinstance(module, ModuleType)]


def module_functions(module: ModuleType) -> Iterator[FunctionType]:
    """Python functions that the module's own file defines, methods of its classes among them."""
    for value in list(vars(module).values()):
        if isinstance(value, FunctionType):
            yield value
        elif isinstance(value, type) and value.__module__ == module.__name__:
            yield from (method for method in vars(value).values() if isinstance(method, FunctionType))


def graph_function(module: Any) -> Tuple[Optional[FunctionType], str]:
    """(the function that runs a graph module, the text it was compiled from)."""
    forward = type(module).__dict__.get("forward")
    if getattr(forward, "__name__", "") == "_lazy_forward":
        return None, ""  # not compiled before its first call
    code = getattr(module, "_code", "")
    return (forward if isinstance(forward, FunctionType) else None), (code if isinstance(code, str) else "")


def graph_globals(module: Any) -> Dict[str, Any]:
    """What the code of a graph module finds as globals."""
    try:
        found = module.graph.python_code("self").globals
        return found if isinstance(found, dict) else {}
    except Exception:
        return {}


def live_graphs() -> List[Any]:
    """Every graph module that is alive: backends run copies of those that were logged."""
    import gc

    graph_module = torch.fx.GraphModule
    return [
        found for found in gc.get_objects() if isinstance(type(found), type) and issubclass(type(found), graph_module)
    ]


def compile_graph(module: Any) -> None:
    """Compiles the text of a graph module now rather than at its first call; without effect where that has been."""
    recompile = getattr(module, "real_recompile", None)
    if recompile is not None and getattr(module, "_needs_recompile", None) is not None and module._needs_recompile():
        recompile()


def no_recompilation() -> Any:
    """A context manager under which compiled code runs as it is and whatever has no entry runs eagerly."""
    set_stance = getattr(torch.compiler, "set_stance", None)
    if set_stance is not None:
        return set_stance("eager_on_recompile")
    return _EvalFrameOff()


class _EvalFrameOff:
    """Before 2.6: frames run through their cache entries only."""

    def __enter__(self) -> None:
        from torch._C._dynamo.eval_frame import set_eval_frame

        self.previous = set_eval_frame(False)

    def __exit__(self, *exception: Any) -> None:
        from torch._C._dynamo.eval_frame import set_eval_frame

        set_eval_frame(self.previous)


def rank() -> Optional[int]:
    """The rank in the process group or, before there is one, of the launcher; None where there is just one process."""
    import os

    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank()) if distributed.get_world_size() > 1 else None
    if os.environ.get("WORLD_SIZE", "1") not in ("", "1"):
        value = os.environ.get("RANK", os.environ.get("LOCAL_RANK", ""))
        return int(value) if value.isdigit() else None
    return None


def counters() -> Dict[str, Dict[str, int]]:
    """Dynamo's and Inductor's statistics so far."""
    try:
        from torch._dynamo.utils import counters as found

        return {str(key): {str(k): int(v) for k, v in value.items()} for key, value in found.items() if value}
    except Exception as error:
        _lacks("counters", str(error))
        return {}


def bytecode_log() -> logging.Logger:
    """The logger behind TORCH_LOGS="+bytecode"."""
    return torch._logging.getArtifactLogger("torch._dynamo.convert_frame", "bytecode")
