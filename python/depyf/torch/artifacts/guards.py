"""Guards as conditions that a reader can follow, each with the user's line that caused it.

Torch's text is one check a line, `| +- KIND: expression  # the user's line  # file:line in function`.
"""

import ast
import json
import re
from typing import Dict, List, NamedTuple, Optional, Tuple


class Guard(NamedTuple):
    """One check."""

    condition: str  # a Python expression over L (locals) and G (globals), "" where torch's check has no such form
    text: str  # torch's own text
    line: str  # the user's line that caused it, "" where torch does not say
    where: str  # file:line in function, "" where torch does not say


_ENTRY = re.compile(r"^[|\s]*\+-\s(?P<kind>[A-Z][A-Z0-9_]+):\s(?P<rest>.*)$")
_WITH_LINE = re.compile(r"^(?P<text>.*?)\s+#\s(?P<line>.*?)\s+#\s(?P<where>\S+:\d+ in .*)$")
_WITHOUT_LINE = re.compile(r"^(?P<text>.*?)\s+#\s(?P<where>\S+:\d+ in .*)$")
_TYPE_NOTE = re.compile(r"^(?P<call>.*\)), type=<(?P<type>.*)>$")
_CLASSES = {"Tensor": "torch.Tensor", "Parameter": "torch.nn.Parameter"}


def parse(text: str) -> List[Guard]:
    """The guards in torch's text of one cache entry, in the order in which they are checked."""
    result: List[Guard] = []
    for line in text.splitlines():
        entry = _ENTRY.match(line)
        if entry is None:
            if text.startswith(("\nTREE", "TREE")) or line.strip().startswith(("+-", "|")) or not line.strip():
                continue
            rest = line.strip()  # 2.2, 2.3: an expression a line
        else:
            rest = entry.group("rest").strip()
        guard = _guard(rest)
        if guard not in result:
            result.append(guard)
    return result


def _guard(rest: str) -> Guard:
    found = _WITH_LINE.match(rest) or _WITHOUT_LINE.match(rest)
    if found is None:
        return Guard(condition(rest), rest, "", "")
    parts = found.groupdict()
    return Guard(condition(parts["text"]), parts["text"], parts.get("line") or "", parts["where"])


def condition(text: str) -> str:
    """`text` as a Python expression over L and G, or "" where it has no such form."""
    text = text.strip()
    note = _TYPE_NOTE.match(text)
    if note is not None:
        text = note.group("call")
    if text.startswith("___check_global_state() against "):
        return _global_state(text.partition(" against ")[2])
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        call = _CALLS.get(node.func.id)
        if call is not None:
            return _known(call(text, node))
    return _known(_plain(text, node))  # without a comment behind it


def _known(text: str) -> str:
    """Nothing for an expression that calls functions which only torch's guards have."""
    return "" if re.search(r"\b___\w+\(", text) else text


def _plain(text: str, node: ast.expr) -> str:
    """`x == False` reads as `not x` where x is a call that answers with a bool."""
    if (
        isinstance(node, ast.Compare)
        and len(node.ops) == 1
        and isinstance(node.ops[0], ast.Eq)
        and isinstance(node.comparators[0], ast.Constant)
        and isinstance(node.left, ast.Call)
        and isinstance(node.left.func, ast.Name)
        and node.left.func.id in ("hasattr", "isinstance")
    ):
        if node.comparators[0].value is False:
            return "not " + _source(text, node.left)
        if node.comparators[0].value is True:
            return _source(text, node.left)
    return _source(text, node)


def _source(text: str, node: ast.AST) -> str:
    return ast.get_source_segment(text, node) or text


def _obj_id(text: str, node: ast.Call) -> str:
    return "id(%s) == %s" % (_source(text, node.args[0]), _source(text, node.args[1]))


def _type_id(text: str, node: ast.Call) -> str:
    return "id(type(%s)) == %s" % (_source(text, node.args[0]), _source(text, node.args[1]))


def _no_aliasing(text: str, node: ast.Call) -> str:
    tensors = [_source(text, arg) for arg in node.args]
    return "len({%s}) == %d" % (", ".join("id(%s)" % tensor for tensor in tensors), len(tensors))


def _tensor(text: str, node: ast.Call) -> str:
    """check_tensor(x, class, DispatchKeySet(keys), dtype, device=index, requires_grad=, size=, stride=)"""
    if len(node.args) < 4:
        return ""
    tensor, kind = _source(text, node.args[0]), _source(text, node.args[1])
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    parts = [
        "type(%s) is %s" % (tensor, _CLASSES[kind]) if kind in _CLASSES else "type(%s).__name__ == %r" % (tensor, kind),
        "%s.dtype is %s" % (tensor, _source(text, node.args[3])),
    ]
    parts += _device(tensor, _source(text, node.args[2]), keywords.get("device"))
    grad = keywords.get("requires_grad")
    if isinstance(grad, ast.Constant):
        parts.append(("" if grad.value else "not ") + "%s.requires_grad" % tensor)
    parts += _extent(tensor, "shape", keywords.get("size"))
    parts += _extent(tensor, "stride()", keywords.get("stride"))
    return " and ".join(parts)


def _device(tensor: str, keys: str, index: Optional[ast.expr]) -> List[str]:
    found = re.match(r"DispatchKeySet\((\w+)", keys)
    if found is None:
        return []
    kind = found.group(1).lower()
    if kind not in ("cpu", "cuda", "xpu", "mps", "meta", "hpu", "mtia"):
        return []
    number = getattr(index, "value", None)
    if number is None:
        return ["%s.device.type == %r" % (tensor, kind)]
    return ["%s.device == torch.device(%r, %d)" % (tensor, kind, number)]


def _extent(tensor: str, attribute: str, sizes: Optional[ast.expr]) -> List[str]:
    """A None in the list is a dimension of any size."""
    if not isinstance(sizes, (ast.List, ast.Tuple)):
        return []
    values = [getattr(item, "value", None) for item in sizes.elts]
    if None not in values:
        return ["tuple(%s.%s) == %r" % (tensor, attribute, tuple(values))]
    known = ["%s.%s[%d] == %r" % (tensor, attribute, i, v) for i, v in enumerate(values) if v is not None]
    return ["len(%s.%s) == %d" % (tensor, attribute, len(values))] + known


_CALLS = {
    "___check_obj_id": _obj_id,
    "___check_type_id": _type_id,
    "check_no_aliasing": _no_aliasing,
    "___check_no_aliasing": _no_aliasing,
    "check_tensor": _tensor,
}

_STATE: Tuple[Tuple[str, str], ...] = (
    ("grad_mode", "torch.is_grad_enabled()"),
    ("deterministic_algorithms", "torch.are_deterministic_algorithms_enabled()"),
    ("deterministic_algorithms_warn_only", "torch.is_deterministic_algorithms_warn_only_enabled()"),
    ("allow_tf32", "torch.backends.cuda.matmul.allow_tf32"),
    ("num_threads", "torch.get_num_threads()"),
)


def _global_state(text: str) -> str:
    try:
        state: Dict[str, object] = json.loads(text)
    except ValueError:
        return ""
    return " and ".join(_is(call, state[key]) for key, call in _STATE if key in state)


def _is(call: str, value: object) -> str:
    if value is True:
        return call
    return "not " + call if value is False else "%s == %r" % (call, value)


def _unless(text: str) -> List[str]:
    """Leave with False unless the condition holds: a term a line where there are several."""
    terms = text.split(" and ") if isinstance(ast.parse(text, mode="eval").body, ast.BoolOp) else [text]
    if len(terms) == 1 or " or " in text or "(" in text and any(term.count("(") != term.count(")") for term in terms):
        negated = text[4:] if text.startswith("not ") and " and " not in text else "not (%s)" % text
        return ["    if %s:" % negated, "        return False"]
    lines = ["    if not (", "        %s" % terms[0]]
    lines += ["        and %s" % term for term in terms[1:]]
    return [*lines, "    ):", "        return False"]


def function(name: str, guards: List[Guard]) -> str:
    """The guards as a function of the locals and globals that answers whether the entry may run."""
    lines = ["def %s(L, G):" % name]
    if not guards:
        lines.append("    # Torch shows no guards for this entry.")
    last = ""
    for guard in guards:
        cause = "%s  (%s)" % (guard.line, guard.where) if guard.line else guard.where
        if cause and cause != last:
            lines.append("    # %s" % cause)
            last = cause
        if not guard.condition:
            lines.append("    # Torch also checks: %s" % guard.text)
            continue
        lines += _unless(guard.condition)
    lines.append("    return True")
    return "\n".join(lines) + "\n"
