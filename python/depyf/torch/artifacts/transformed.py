"""The source of one of Dynamo's transformed codes, with the line of every instruction."""

import dis
import io
import re
import sys
from types import CodeType
from typing import Any, List, NamedTuple, Tuple

from depyf import _engine
from depyf.constants import describe
from depyf.torch import compat
from depyf.torch.artifacts.file import commented, header
from depyf.utils import get_function_signature


class Text(NamedTuple):
    """`function` is the bare `def`, for use in other files; `module` the whole file."""

    module: str
    function: str
    line_map: List[Tuple[int, int, int]]  # as the engine gives it, for `function`
    shift: int  # lines of `module` above `function`
    verdict: str  # of the engine, "failed" for a stub
    problem: str  # "" or why there is no source


def file_stem(code: CodeType) -> str:
    """`__transformed_code_%d_for_f`, with characters that no file name or identifier can hold replaced."""
    return "__transformed_code_%d_for_" + identifier(code.co_name)


def identifier(name: str) -> str:
    """The nearest valid identifier: `<lambda>` becomes `_lambda_`."""
    result = re.sub(r"\W", "_", name)
    return "_" + result if result[:1].isdigit() else result or "_"


def render(code: CodeType, name: str, compile_id: str, origin: str, then: str) -> Text:
    """The text of `code` as a function called `name`."""
    constants: List[str] = []
    source, line_map, verdict, problem = _decompiled(code, constants)
    function = compat.stable_name(_under_name(source, code, name))
    above = header("What Dynamo made of %s: decompiled bytecode that runs" % code.co_name, compile_id, origin, then)
    above += _imports(constants)
    below = ""
    if code.co_freevars and not _compiles(function):
        cells = ", ".join(code.co_freevars)
        above += "def __closure_of_%s(%s):\n" % (name, cells)
        function = "".join("    " + line if line.strip() else line for line in function.splitlines(True))
        below = "    return %s\n" % name
    if not _compiles(above + function + below):
        function, line_map, verdict = stub(code, name, "the decompiled text does not compile"), [], "failed"
        below, problem = "", problem or "the decompiled text does not compile"
        above = above.split("def __closure_of_")[0]
    return Text(above + function + below, function, line_map, above.count("\n"), verdict, problem)


def _imports(constants: List[str]) -> str:
    """What the constants that no literal can express are found in: `import torch` for `torch.float32`."""
    roots = {text.split(".")[0] for text in constants if "." in text and text.split(".")[0].isidentifier()}
    known = sorted(root for root in roots if root in sys.modules)
    return "".join("import %s\n" % root for root in known) + ("\n\n" if known else "")


def _decompiled(code: CodeType, constants: List[str]) -> Tuple[str, List[Tuple[int, int, int]], str, str]:
    def named(value: Any) -> str:
        constants.append(describe(value))
        return constants[-1]

    try:
        result = _engine.decompile(_engine.from_live(code, named), False, True, True)
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
