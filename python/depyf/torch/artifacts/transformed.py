"""The source of one of Dynamo's transformed codes, with the line of every instruction."""

import dis
import io
from types import CodeType
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from depyf import _engine
from depyf.torch import compat
from depyf.torch.artifacts import bindings
from depyf.torch.artifacts.bindings import identifier
from depyf.torch.artifacts.file import commented, header
from depyf.utils import get_function_signature


class Text(NamedTuple):
    """`function` is the `def` (inside one that owns its free variables), for use in other files; `module` the file."""

    module: str
    function: str
    helpers: str  # definitions that `function` refers to
    line_map: List[Tuple[int, int, int]]  # as the engine gives it, for `function`
    shift: int  # lines of `module` above `function`
    verdict: str  # of the engine, "failed" for a stub
    problem: str  # "" or why there is no source


def file_stem(code: CodeType) -> str:
    """`__transformed_code_%d_for_f`, with characters that no file name or identifier can hold replaced."""
    return "__transformed_code_%d_for_" + identifier(code.co_name)


def render(
    code: CodeType, name: str, compile_id: str, origin: str, then: str, variables: Optional[Dict[str, Any]] = None
) -> Text:
    """The text of `code` as a function called `name`; `variables` are the globals of its frame."""
    constants = bindings.Constants()
    source, line_map, verdict, problem = _decompiled(code, constants)
    function = compat.stable_name(_under_name(source, code, name))
    title = header("What Dynamo made of %s: decompiled bytecode that runs" % code.co_name, compile_id, origin, then)
    helpers = constants.helpers(function)
    above = title + _bound(code, variables, constants, helpers + function) + helpers
    if code.co_freevars:
        cells = "def __closure_of_%s(%s):\n" % (name, ", ".join(code.co_freevars))
        inside = "".join("    " + line if line.strip() else line for line in function.splitlines(True))
        function = "%s%s    return %s\n" % (cells, inside, name)
        line_map = [(index, offset, line + 1) for index, offset, line in line_map]
    if not _compiles(above + function):
        function, line_map, verdict = stub(code, name, "the decompiled text does not compile"), [], "failed"
        problem = problem or "the decompiled text does not compile"
        above, helpers = title, ""
    return Text(above + function, function, helpers, line_map, above.count("\n"), verdict, problem)


def _bound(code: CodeType, variables: Optional[Dict[str, Any]], constants: bindings.Constants, source: str) -> str:
    lines = bindings.imports(constants.named, source)
    if variables is not None:
        lines += [line for line in bindings.of_globals(code, variables) if line not in lines]
    return "\n".join(lines) + "\n\n\n" if lines else ""


def _decompiled(code: CodeType, constants: bindings.Constants) -> Tuple[str, List[Tuple[int, int, int]], str, str]:
    try:
        result = _engine.decompile(_engine.from_live(code, constants.describe), False, True, True)
    except Exception as error:
        return stub(code, code.co_name, str(error)), [], "failed", str(error)
    verdict = result.codes[0][1] if result.codes else "failed"
    problem = "; ".join(message for _, _, message in result.diagnostics[:3]) if verdict == "failed" else ""
    if not result.source:
        return stub(code, code.co_name, problem), [], "failed", problem
    return result.source, result.line_map, verdict, problem


def _under_name(source: str, code: CodeType, name: str) -> str:
    head, keyword, rest = source.partition("def ")
    if not keyword or "(" not in rest or "\n" in rest.partition("(")[0]:
        return source
    return head + keyword + name + rest[rest.index("(") :]


def stub(code: CodeType, name: str, reason: str) -> str:
    """A function that raises when called, with the disassembly in comments."""
    text = io.StringIO()
    dis.dis(code, file=text)
    lines = "".join("    " + line for line in commented(text.getvalue()).splitlines(True))
    message = "not decompiled: %s" % reason
    return "%s%s    raise NotImplementedError(%r)\n" % (get_function_signature(code, identifier(name)), lines, message)


def _compiles(text: str) -> bool:
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<dump>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
