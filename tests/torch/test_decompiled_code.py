"""What Dynamo writes, decompiled: the exact text runs in its place, the readable one is short and runs as well."""

import ast
from types import CodeType
from typing import Any, Callable, List, Tuple

import pytest
import torch
from conftest import EXAMPLES

from depyf import _engine
from depyf.constants import describe
from depyf.decompiler import compile_like


def branches(a: Any, b: Any) -> Any:
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def breaks_in_expression(a: Any, b: Any) -> Any:
    return torch.cat([a, b]) + len(str(int(a.sum().item())))


def breaks_in_with(a: Any, b: Any) -> Any:
    with torch.no_grad():
        y = a * 2
        torch._dynamo.graph_break()
        y = y + b
    return y


def closes_over(a: Any, b: Any) -> Any:
    scale = a + 1

    def inner(t: Any) -> Any:
        return t * scale

    torch._dynamo.graph_break()
    return inner(b)


def changes_arguments(a: Any, b: Any) -> Any:
    items = [a]
    table = {"b": b}
    torch._dynamo.graph_break()
    items.append(table.pop("b"))
    return torch.stack(items), table


def passes_keywords(a: Any, b: Any) -> Any:
    torch._dynamo.graph_break()
    return torch.add(*(a, b), **{"alpha": 2})


PROGRAMS = [branches, breaks_in_expression, breaks_in_with, closes_over, changes_arguments, passes_keywords]
INPUTS = [(torch.arange(4.0), torch.ones(4)), (torch.arange(4.0), -torch.ones(4))]


@pytest.mark.parametrize("readable", [False, True])
@pytest.mark.parametrize("program", PROGRAMS)
def test_runs_in_place_of_dynamos(program: Callable[..., Any], readable: bool) -> None:
    replaced: List[CodeType] = []

    def substitute(original: CodeType, transformed: CodeType) -> CodeType:
        replaced.append(compile_like(transformed, original, readable=readable))
        return replaced[-1]

    handle = torch._dynamo.convert_frame.register_bytecode_hook(substitute)
    try:
        compiled = torch.compile(program, backend="eager")
        for inputs in INPUTS:
            torch.testing.assert_close(compiled(*inputs), program(*inputs))
    finally:
        handle.remove()
    assert replaced


def transformed_codes(program: Callable[..., Any], inputs: Tuple[Any, ...]) -> List[CodeType]:
    codes: List[CodeType] = []
    handle = torch._dynamo.convert_frame.register_bytecode_hook(lambda original, transformed: codes.append(transformed))
    try:
        torch.compile(program, backend="eager")(*inputs)
    finally:
        handle.remove()
    return codes


def test_root_function_of_the_toy_example_is_short() -> None:
    """Call the graph, test its first result, return one of two calls."""
    namespace: Any = {"__name__": "toy"}
    exec(compile((EXAMPLES / "toy.py").read_text(), str(EXAMPLES / "toy.py"), "exec"), namespace)
    code = transformed_codes(namespace["toy_example"]._torchdynamo_orig_callable, INPUTS[0])[0]
    result = _engine.decompile(_engine.from_live(code, describe), False, False, True)
    function: Any = ast.parse(result.source).body[0]
    assert len(result.source.strip().splitlines()) - 1 <= 8
    assert [type(node).__name__ for node in function.body] == ["Assign", "If", "Return"]
    calls = [ast.unparse(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)]
    assert [name.rstrip("0123456789_abcdef")[:10] for name in sorted(calls)] == [
        "__compiled",
        "__resume_a",
        "__resume_a",
    ]


@pytest.mark.parametrize("readable", [False, True])
def test_every_call_has_a_line(readable: bool) -> None:
    import dis

    for code in transformed_codes(branches, INPUTS[0]):
        result = _engine.decompile(_engine.from_live(code, describe), False, False, readable)
        lines = result.source.splitlines()
        owners = {offset: lines[line - 1] for index, offset, line in result.line_map if index == 0}
        graph = next(i for i in dis.get_instructions(code) if str(i.argval).startswith("__compiled_fn_"))
        calls = [i.offset for i in dis.get_instructions(code) if i.opname == "CALL"]
        if calls and not readable:
            assert all(offset in owners for offset in calls)
        assert "__compiled_fn_" in owners[graph.offset]
