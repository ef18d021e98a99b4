"""Code objects <-> dumped files: what runs stays the same, only where it says it comes from changes."""

import ast
import dis
from types import CodeType, FunctionType
from typing import Any, Dict, List, Optional, Sequence, Tuple

from depyf.line_table import relined, shifted
from depyf.torch import compat
from depyf.utils import collect_all_code_objects

LineMap = List[Tuple[int, int, int]]  # (index of the code object, byte offset, line)


def to_file(
    code: CodeType, path: str, line_map: LineMap, shift: int = 0, default: int = 1, keep: Sequence[CodeType] = ()
) -> CodeType:
    """`code` with every instruction, those of nested functions too, pointing at its line of `path`.

    The nested code objects in `keep` (the user's own, which have the user's lines) and those that the text does not
    show stay the very objects that they are.

    `line_map` numbers the code objects in the order of a walk that visits a code object before those inside it; lines
    are moved down by `shift`; an instruction before the first entry gets line `default`.
    """
    lines: Dict[int, Dict[int, int]] = {}
    for index, offset, line in line_map:
        lines.setdefault(index, {})[offset] = line + shift
    counter = [0]
    kept = {id(inner) for inner in keep}

    def change(current: CodeType, fallback: int) -> CodeType:
        if id(current) in kept or (current is not code and not _has_lines(lines, counter[0], current)):
            counter[0] += len(collect_all_code_objects(current))
            return current
        known = lines.get(counter[0], {})
        counter[0] += 1
        start = min(known.values(), default=fallback)
        consts = tuple(change(value, start) if isinstance(value, CodeType) else value for value in current.co_consts)
        result = relined(current, path, _spans(current, known, start))
        if any(isinstance(value, CodeType) for value in consts):
            result = result.replace(co_consts=consts)
        return result

    return change(code, default)


def _has_lines(lines: Dict[int, Dict[int, int]], index: int, code: CodeType) -> bool:
    """Whether the text shows any of `code` or of what is inside it: what is a mere constant stays as it is."""
    return any(number in lines for number in range(index, index + len(collect_all_code_objects(code))))


def _spans(code: CodeType, known: Dict[int, int], default: int) -> List[Tuple[int, int, Optional[int]]]:
    size = len(code.co_code)
    starts = sorted(offset for offset in known if offset < size)
    if not starts or starts[0] != 0:
        starts.insert(0, 0)
    spans: List[Tuple[int, int, Optional[int]]] = []
    for start, end in zip(starts, starts[1:] + [size]):
        spans.append((start, end, known.get(start, default)))
    return spans


def graph_to_file(module: Any, path: str, text: str) -> bool:
    """Makes a graph module's function point at the readable text of the same graph in `path`.

    The text that runs and the readable one have the same statements in the same order; where they do not, nothing
    is changed and the answer is False.
    """
    function, source = compat.graph_function(module)
    if function is None or not source:
        return False
    if function.__code__.co_filename == path:
        return True
    if not function.__code__.co_filename.startswith("<"):
        return False  # it has been pointed at another file
    lines = _matched_lines(source, text)
    if not lines:
        return False
    function.__code__ = _moved(function.__code__, path, lines)
    return True


def edited_graph(source: str, old: str, new: str, path: str) -> CodeType:
    """The code of a graph whose readable text `old` has become `new`; `source` is the text that it was compiled from.

    Raises ValueError where the texts have no function in common.
    """
    tree = ast.parse(source)
    running, readable, edited = _forward(tree), _forward(ast.parse(old)), _forward(ast.parse(new))
    if running is None or readable is None or edited is None:
        raise ValueError("no function called forward")
    # A graph with boxed arguments first unpacks and clears their list, which the readable text does not show.
    prologue = running.body[: max(len(running.body) - len(readable.body), 0)]
    for statement in prologue:
        for node in ast.walk(statement):
            if isinstance(node, (ast.stmt, ast.expr)):
                node.lineno = node.end_lineno = edited.lineno
                node.col_offset = node.end_col_offset = 0
    running.body = [*prologue, *edited.body]
    running.lineno, running.end_lineno = edited.lineno, edited.end_lineno
    module = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
    return next(code for code in collect_all_code_objects(module) if code.co_name == "forward")


def _matched_lines(source: str, text: str) -> Dict[int, int]:
    running, readable = _forward(ast.parse(source)), _forward(ast.parse(text))
    if running is None or readable is None:
        return {}
    # A graph with boxed arguments first unpacks and clears their list, which the readable text does not show.
    prologue = len(running.body) - len(readable.body)
    pairs = list(zip(running.body[max(prologue, 0) :], readable.body))
    if prologue < 0 or not pairs or any(_shape(one) != _shape(other) for one, other in pairs):
        return {}
    lines = {line: readable.lineno for line in range(running.lineno, pairs[0][0].lineno)}
    for one, other in pairs:
        for line in range(one.lineno, (one.end_lineno or one.lineno) + 1):
            lines.setdefault(line, other.lineno)
    return lines


def _forward(tree: ast.Module) -> Optional[ast.FunctionDef]:
    """The outermost function called forward: module level in the text that runs, in a class in the readable one."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "forward":
            return node
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and inner.name == "forward":
                    return inner
    return None


def _shape(node: ast.stmt) -> List[str]:
    if isinstance(node, ast.AnnAssign):
        return [ast.dump(node.target), ast.dump(node.value) if node.value is not None else ""]
    if isinstance(node, ast.Assign):
        return [ast.dump(target) for target in node.targets] + [ast.dump(node.value)]
    return [ast.dump(node)]


def _moved(code: CodeType, path: str, lines: Dict[int, int]) -> CodeType:
    starts = [(offset, line) for offset, line in dis.findlinestarts(code) if line is not None]
    if not starts or starts[0][0] != 0:
        starts.insert(0, (0, code.co_firstlineno))
    ends = [offset for offset, _ in starts[1:]] + [len(code.co_code)]
    first = lines.get(code.co_firstlineno, min(lines.values()))
    return relined(code, path, [(start, end, lines.get(line, first)) for (start, line), end in zip(starts, ends)])


def module_to_file(origin: str, path: str, shift: int) -> int:
    """Makes the functions of Inductor's module loaded from `origin` point at `path`, `shift` lines further down.

    Returns how many functions were changed: 0 where the module is not loaded (any more).
    """
    count = 0
    for module in compat.inductor_modules():
        if getattr(module, "__file__", None) != origin:
            continue
        for function in compat.module_functions(module):
            if isinstance(function, FunctionType) and function.__code__.co_filename == origin:
                function.__code__ = shifted(function.__code__, path, shift)
                count += 1
    return count
