"""Line tables that we write read back as they were meant."""

import dis
import random
from typing import Any, List, Optional, Tuple

import pytest

from depyf.line_table import relined, shifted, spans_of


def sample(n: int) -> Any:
    total = 0
    for i in range(n):
        total += i
        if total > 100:
            total = (total * 2) % 7
    return lambda: total


def lines_of(code: Any) -> List[Tuple[int, int]]:
    return [(offset, line) for offset, line in dis.findlinestarts(code) if line is not None]


def test_random_tables() -> None:
    code = sample.__code__
    size = len(code.co_code)
    generator = random.Random(5)
    for _ in range(300):
        cuts = sorted(generator.sample(range(2, size, 2), generator.randrange(1, 12)))
        spans: List[Tuple[int, int, Optional[int]]] = []
        for start, end in zip([0, *cuts], [*cuts, size]):
            spans.append((start, end, generator.choice([1, 2, 3, 100, 300, 5000, 70000])))
        back = relined(code, "dump.py", spans)
        assert (back.co_filename, back.co_code) == ("dump.py", code.co_code)
        wanted = [(start, line) for start, _, line in spans]
        wanted = [pair for i, pair in enumerate(wanted) if i == 0 or wanted[i - 1][1] != pair[1]]
        assert lines_of(back) == wanted


def test_runs_and_reports_the_new_lines() -> None:
    code = compile("def f(x):\n    return 1 / x\n", "a.py", "exec")
    namespace: Any = {}
    exec(code, namespace)
    function = namespace["f"]
    size = len(function.__code__.co_code)
    function.__code__ = relined(function.__code__, "b.py", [(0, size, 77)])
    with pytest.raises(ZeroDivisionError) as caught:
        function(0)
    last = caught.traceback[-1]
    assert (str(last.path).endswith("b.py"), last.lineno + 1) == (True, 77)


def test_shifted_with_nested() -> None:
    moved = shifted(sample.__code__, "c.py", 10)
    assert [line for _, line in lines_of(moved)] == [line + 10 for _, line in lines_of(sample.__code__)]
    inner = [value for value in moved.co_consts if hasattr(value, "co_code")][0]
    assert inner.co_filename == "c.py"


def test_spans_cover_the_code() -> None:
    spans = spans_of(sample.__code__)
    assert spans[0][0] == 0 and spans[-1][1] == len(sample.__code__.co_code)
    assert all(one[1] == other[0] for one, other in zip(spans, spans[1:]))
