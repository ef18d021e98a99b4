"""Do two code objects of the running interpreter do the same? Runs on CPython 3.7 - 3.15 with the standard library only.

    pythonX.Y same_code.py PYC_FOLDER SOURCE_FOLDER

For each NAME.pyc and the decompiled NAME.py: compiles the text and compares code object by code object. Prints a JSON
line per file: {"file", "same", "total", "different": [[name, reason], ...]}.

Two code objects are the same when their graphs of operations are bisimilar: from the first instruction on both do the
same operations on the same operands, go the same ways, and have the same handlers around what can raise. Jumps, NOPs,
copies of blocks and super-instructions make no difference. Opcode meanings: Lib/dis.py of each version.
"""

import dis
import json
import marshal
import os
import sys
import types
import warnings
from typing import Any, Iterator

VERSION = sys.version_info[:2]
IGNORED = {"NOP", "CACHE", "EXTENDED_ARG", "NOT_TAKEN", "RESUME", "PRECALL"}
JUMPS = {"JUMP_FORWARD", "JUMP_ABSOLUTE", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "CONTINUE_LOOP"}
LEAVES = {"RETURN_VALUE", "RAISE_VARARGS", "RERAISE"}
# these cannot raise, so a handler around them or not is the same
SILENT = {
    "LOAD_CONST", "POP_TOP", "STORE_FAST", "COPY", "SWAP", "DUP_TOP", "ROT_TWO", "ROT_THREE", "ROT_FOUR", "PUSH_NULL",
    "RETURN_VALUE", "POP_EXCEPT", "PUSH_EXC_INFO", "POP_BLOCK", "MAKE_CELL", "COPY_FREE_VARS", "LOAD_CLOSURE", "IS_OP",
    "POP_ITER", "END_FOR", "RETURN_GENERATOR", "END_SEND", "KW_NAMES", "BUILD_TUPLE", "test none",
}  # fmt: skip
if VERSION >= (3, 12):
    SILENT.add("LOAD_FAST")
if VERSION >= (3, 13):
    SILENT.add("test")
PLAIN = {
    "LOAD_FAST_BORROW": "LOAD_FAST",
    "LOAD_FAST_CHECK": "LOAD_FAST",
    "LOAD_SMALL_INT": "LOAD_CONST",
}
SPLIT = {
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}
TARGETS = set(dis.hasjrel) | set(dis.hasjabs) | set(getattr(dis, "hasjump", ()))


def constant(value: Any) -> Any:
    """Constants differ by type, by the sign of zero and by what is inside."""
    if isinstance(value, types.CodeType):
        return "code", value.co_name
    if isinstance(value, (tuple, list)):
        return (type(value).__name__,) + tuple(map(constant, value))
    if isinstance(value, frozenset):
        return "frozenset", frozenset(map(constant, value))
    if isinstance(value, (float, complex, slice)):
        return type(value).__name__, repr(value)
    return type(value).__name__, value


class Operation:
    """One node of the graph: what is done, and where control goes (node indices, set by Graph)."""

    def __init__(self, name: str, operand: Any, offset: int, ways: Any) -> None:
        self.name, self.operand, self.offset, self.ways = name, operand, offset, ways
        self.handler: Any = None
        self.code: Any = None


class Graph:
    def __init__(self, code: Any) -> None:
        self.nodes: Any = []
        self.at: Any = {}
        for instruction in dis.get_instructions(code):
            self.at[instruction.offset] = len(self.nodes)
            self.add(code, instruction)
        self.end = len(self.nodes)
        for index, node in enumerate(self.nodes):
            node.ways = [(label, index + 1 if to is None else self.place(to)) for label, to in node.ways]
        for start, stop, target, depth in handlers(code):
            for node in self.nodes:
                if start <= node.offset < stop and node.handler is None:
                    node.handler = (self.place(target), depth)

    def place(self, offset: int) -> int:
        while offset not in self.at and offset < 1 << 30:
            offset += 2
            if offset > max(self.at):
                return self.end
        return self.at[offset]

    def add(self, code: Any, i: Any) -> None:
        name = PLAIN.get(i.opname, i.opname)
        if name in IGNORED:
            return
        if name in SPLIT:
            for part, variable in zip(SPLIT[name], i.argval):
                self.nodes.append(Operation(part, (variable, 0), i.offset, [("", None)]))
        elif name == "RETURN_CONST":
            self.nodes.append(Operation("LOAD_CONST", constant(i.argval), i.offset, [("", None)]))
            self.nodes.append(Operation("RETURN_VALUE", None, i.offset, []))
        elif name in JUMPS:
            self.nodes.append(Operation("jump", None, i.offset, [("", i.argval)]))
        elif i.opcode in TARGETS and "POP_JUMP" in name:
            when = not (name.endswith("FALSE") or name.endswith("NOT_NONE"))
            kind = "test none" if name.endswith("NONE") else "test"
            self.nodes.append(Operation(kind, None, i.offset, sorted([(when, i.argval), (not when, None)], key=str)))
        elif i.opcode in TARGETS:
            self.nodes.append(Operation(name, None, i.offset, [("next", None), ("jump", i.argval)]))
        else:
            node = Operation(name, self.operand(code, i), i.offset, [] if name in LEAVES else [("", None)])
            if i.opcode in dis.hasconst and isinstance(i.argval, types.CodeType):
                node.code = i.argval
            self.nodes.append(node)

    @staticmethod
    def operand(code: Any, i: Any) -> Any:
        if i.opname == "KW_NAMES":
            return constant(code.co_consts[i.arg])
        if i.opname == "LOAD_SMALL_INT":
            return constant(i.arg)
        if i.opcode in dis.hasconst:
            return constant(i.argval)
        flags: Any = 0
        if i.opname in ("LOAD_GLOBAL", "LOAD_ATTR", "LOAD_SUPER_ATTR", "IMPORT_NAME") and VERSION >= (3, 11):
            flags = i.argrepr.replace(str(i.argval), "", 1)
        if i.opcode in dis.haslocal or i.opcode in dis.hasname or i.opcode in dis.hasfree:
            return i.argval, flags
        return i.arg

    def settle(self, index: int) -> Any:
        """Through jumps; None at an empty endless loop."""
        seen = set()
        while index < self.end and self.nodes[index].name == "jump":
            if index in seen:
                return None
            seen.add(index)
            index = self.nodes[index].ways[0][1]
        return index


def handlers(code: Any) -> Iterator[Any]:
    """(start, stop, target, depth and lasti) of 3.11+ in bytes. Objects/exception_handling_notes.txt."""
    data = iter(getattr(code, "co_exceptiontable", b""))

    def number() -> int:
        byte = next(data)
        value = byte & 63
        while byte & 64:
            byte = next(data)
            value = value << 6 | byte & 63
        return value

    while True:
        try:
            start = number() * 2
        except StopIteration:
            return
        stop = start + number() * 2
        yield start, stop, number() * 2, number()


def signature(code: Any) -> Any:
    flags = code.co_flags & ~0x40
    count = code.co_argcount + code.co_kwonlyargcount + bool(flags & 4) + bool(flags & 8)
    has_doc = flags & 1 and not code.co_name.startswith("<") and (VERSION < (3, 14) or flags & 0x4000000)
    doc = code.co_consts[0] if has_doc and code.co_consts and isinstance(code.co_consts[0], str) else None
    return {
        "name": code.co_name,
        "arguments": (code.co_argcount, getattr(code, "co_posonlyargcount", 0), code.co_kwonlyargcount),
        "argument names": code.co_varnames[:count],
        "flags": flags,
        "free variables": frozenset(code.co_freevars),
        "cells": frozenset(code.co_cellvars),
        "docstring": doc,
    }


def difference(a: Any, b: Any, nested: Any) -> Any:
    """None where the two do the same, else where they part; pairs of nested code objects are added to `nested`."""
    first, second = signature(a), signature(b)
    for what in first:
        if first[what] != second[what]:
            return "%s: %r, got %r" % (what, first[what], second[what])
    x, y = Graph(a), Graph(b)
    todo, seen = [(0, 0)], set()
    while todo:
        i, j = todo.pop()
        i, j = x.settle(i), y.settle(j)
        if (i, j) in seen:
            continue
        seen.add((i, j))
        if i is None or j is None or i >= x.end or j >= y.end:
            if (i is None) != (j is None) or (i is not None and (i >= x.end) != (j >= y.end)):
                return "one of the two ends"
            continue
        p, q = x.nodes[i], y.nodes[j]
        if p.name != q.name or p.operand != q.operand:
            return "at %d: %s %r, got %s %r" % (p.offset, p.name, p.operand, q.name, q.operand)
        silent = p.name in SILENT
        if (p.handler is None) != (q.handler is None) or p.handler and p.handler[1] != q.handler[1]:
            if not silent:
                return "at %d: another handler around %s" % (p.offset, p.name)
        elif p.handler:
            todo.append((p.handler[0], q.handler[0]))
        if p.code is not None:
            nested.append((p.code, q.code))
        todo.extend((m, n) for (_, m), (_, n) in zip(p.ways, q.ways))
    return None


def compare(a: Any, b: Any) -> Any:
    """[(name, difference or None)] for the two and all pairs of code objects in them."""
    result, todo, seen = [], [(a, b)], set()
    while todo:
        first, second = todo.pop()
        if id(first) in seen:
            continue
        seen.add(id(first))
        result.append((getattr(first, "co_qualname", first.co_name), difference(first, second, todo)))
    return result


def main(pycs: str, sources: str) -> None:
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(10000)
    for name in sorted(os.listdir(pycs)):
        with open(os.path.join(pycs, name), "rb") as f:
            original = marshal.loads(f.read()[16:])
        row: Any = {"file": name, "same": 0, "total": 0, "different": []}
        try:
            with open(os.path.join(sources, name[:-1]), "rb") as f:
                again = compile(f.read(), name, "exec", dont_inherit=True)
        except (OSError, SyntaxError, ValueError, RecursionError) as error:
            row["different"].append(["<module>", "%s: %s" % (type(error).__name__, error)])
            row["total"] = 1
        else:
            for code, what in compare(original, again):
                row["total"] += 1
                row["same"] += what is None
                if what is not None:
                    row["different"].append([code, what[:300]])
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
