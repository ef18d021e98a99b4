"""Code that no compiler made: what decompiles must do the same in the same order.

Written in 3.11's instructions, since that is what the cases are about; other versions skip them.
"""

import dis
import sys
from types import CodeType, FunctionType
from typing import Any, Dict, List, Tuple

import pytest

from depyf import _engine
from depyf.constants import describe
from depyf.decompiler import compile_like

pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="instructions of 3.11")

CACHES = {
    "LOAD_GLOBAL": 5,
    "LOAD_ATTR": 4,
    "BINARY_SUBSCR": 4,
    "STORE_SUBSCR": 1,
    "PRECALL": 1,
    "CALL": 4,
    "BINARY_OP": 1,
}
CONSTANTS = (None, 0, 1, -1, 2)
NAMES = ("f", "g", "h")


def assembled(text: str, variables: Tuple[str, ...] = ("a", "b", "t")) -> CodeType:
    """A function of (a, b) from `OPCODE argument` lines; names, constants and variables stand for their index."""
    raw = bytearray([dis.opmap["RESUME"], 0])
    for line in text.split("\n"):
        if not line.strip():
            continue
        opname, *argument = line.split()
        raw += bytes([dis.opmap[opname], _index(opname, argument, variables)]) + bytes(2 * CACHES.get(opname, 0))

    def template(a: Any, b: Any) -> None:
        pass

    return template.__code__.replace(
        co_code=bytes(raw),
        co_consts=CONSTANTS,
        co_names=NAMES,
        co_varnames=variables,
        co_nlocals=len(variables),
        co_stacksize=30,
    )


def _index(opname: str, argument: List[str], variables: Tuple[str, ...]) -> int:
    if not argument:
        return 0
    text = argument[0]
    if opname == "LOAD_CONST":
        return CONSTANTS.index(None if text == "None" else int(text))
    if opname == "LOAD_GLOBAL":
        return NAMES.index(text) << 1
    if opname.endswith("_FAST"):
        return variables.index(text)
    return int(text)


def behaviour(code: CodeType) -> Tuple[Any, List[Any]]:
    """What the function returns, and the calls that it makes, in order."""
    calls: List[Any] = []

    def called(name: str) -> Any:
        def function(*args: Any, **keywords: Any) -> Any:
            calls.append((name, repr(args), repr(keywords)))
            return [name, *args, *keywords.values()]

        return function

    namespace: Dict[str, Any] = {name: called(name) for name in NAMES}
    return FunctionType(code, namespace)([1, 2], [3]), calls


CASES = {
    "order of two calls whose results change places": """
        PUSH_NULL
        LOAD_GLOBAL f
        PRECALL 0
        CALL 0
        PUSH_NULL
        LOAD_GLOBAL g
        PRECALL 0
        CALL 0
        SWAP 2
        BUILD_TUPLE 2
        RETURN_VALUE
    """,
    "a list below another value grows": """
        BUILD_LIST 0
        PUSH_NULL
        LOAD_GLOBAL f
        PRECALL 0
        CALL 0
        LOAD_FAST a
        LIST_EXTEND 2
        POP_TOP
        RETURN_VALUE
    """,
    "a variable goes while its value lies on the stack": """
        LOAD_FAST a
        STORE_FAST t
        LOAD_FAST t
        DELETE_FAST t
        LOAD_FAST b
        STORE_FAST t
        LOAD_FAST t
        BUILD_TUPLE 2
        RETURN_VALUE
    """,
    "one list under two names": """
        BUILD_LIST 0
        COPY 1
        BUILD_LIST 1
        COPY 1
        LOAD_CONST 0
        BINARY_SUBSCR
        LOAD_FAST a
        LIST_EXTEND 1
        POP_TOP
        BUILD_TUPLE 2
        RETURN_VALUE
    """,
    "an item is taken out of a list on the stack": """
        LOAD_FAST a
        LOAD_FAST b
        BUILD_LIST 2
        COPY 1
        LOAD_CONST -1
        BINARY_SUBSCR
        SWAP 2
        COPY 1
        LOAD_CONST -1
        DELETE_SUBSCR
        BUILD_TUPLE 2
        RETURN_VALUE
    """,
    "a list becomes an item of itself": """
        BUILD_LIST 0
        COPY 1
        COPY 1
        LIST_APPEND 2
        LOAD_CONST 0
        LOAD_CONST 1
        BUILD_SLICE 2
        BINARY_SUBSCR
        BUILD_TUPLE 2
        RETURN_VALUE
    """,
    "both ways of a branch use what lies on the stack": """
        PUSH_NULL
        LOAD_GLOBAL f
        PRECALL 0
        CALL 0
        PUSH_NULL
        LOAD_GLOBAL g
        PRECALL 0
        CALL 0
        POP_JUMP_FORWARD_IF_FALSE 3
        LOAD_CONST 1
        BUILD_TUPLE 2
        RETURN_VALUE
        LOAD_CONST 2
        BUILD_TUPLE 2
        RETURN_VALUE
    """,
    "ways that bring different values meet": """
        LOAD_FAST b
        LOAD_FAST a
        POP_JUMP_FORWARD_IF_FALSE 2
        LOAD_CONST 1
        JUMP_FORWARD 1
        LOAD_CONST 2
        DELETE_FAST a
        BUILD_TUPLE 2
        RETURN_VALUE
    """,
    "a dict of keywords is made before the call": """
        PUSH_NULL
        LOAD_GLOBAL f
        LOAD_FAST a
        BUILD_TUPLE 1
        BUILD_MAP 0
        PUSH_NULL
        LOAD_GLOBAL g
        PRECALL 0
        CALL 0
        POP_TOP
        CALL_FUNCTION_EX 1
        RETURN_VALUE
    """,
    "values wait while a loop runs": """
        PUSH_NULL
        LOAD_GLOBAL f
        PRECALL 0
        CALL 0
        LOAD_FAST a
        GET_ITER
        FOR_ITER 18
        STORE_FAST t
        PUSH_NULL
        LOAD_GLOBAL g
        LOAD_FAST t
        PRECALL 1
        CALL 1
        POP_TOP
        JUMP_BACKWARD 19
        LOAD_FAST b
        BUILD_TUPLE 2
        RETURN_VALUE
    """,
}


@pytest.mark.parametrize("readable", [False, True])
@pytest.mark.parametrize("text", list(CASES.values()), ids=list(CASES))
def test_same_effects(text: str, readable: bool) -> None:
    code = assembled(text)
    back = compile_like(code, code, readable=readable)
    assert repr(behaviour(back)) == repr(behaviour(code))  # a list may contain itself


def test_cell_as_a_value() -> None:
    def template(a: Any) -> Any:
        return lambda: a

    code = template.__code__
    loads = [i for i in dis.get_instructions(code) if i.opname == "LOAD_CLOSURE"]
    tail = [("LOAD_FAST", 0), ("POP_TOP", 0), ("RETURN_VALUE", 0)]
    head = code.co_code[: loads[0].offset + 2]
    code = code.replace(co_code=head + b"".join(bytes([dis.opmap[name], argument]) for name, argument in tail))
    back = compile_like(code, code)
    assert FunctionType(back, {})(5).cell_contents == 5
    assert "MAKE_FUNCTION" not in {i.opname for i in dis.get_instructions(back)}


def test_every_temporary_owns_its_instructions() -> None:
    code = assembled(CASES["order of two calls whose results change places"])
    result = _engine.decompile(_engine.from_live(code, describe), False, False)
    lines = result.source.splitlines()
    owners = {offset: lines[line - 1] for index, offset, line in result.line_map if index == 0}
    calls = [i.offset for i in dis.get_instructions(code) if i.opname == "CALL"]
    assert ["f(" in owners[offset] for offset in calls] == [True, False]
    assert ["g(" in owners[offset] for offset in calls] == [False, True]
