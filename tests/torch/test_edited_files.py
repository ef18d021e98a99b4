"""`breakpoint()` written into a dumped file while debug() pauses, in a real pdb session."""

import pathlib
import re
from typing import Any, Callable

import pytest
from test_breakpoints import BACKWARD, PROGRAM, first_line_with

# Edits as a user makes them in an editor while the debugger waits: done by the program's own breakpoint hook before it
# hands over to pdb for good.
EDITOR = """
import os, pathlib, pdb

def edit_then_debug():
    sys.breakpointhook = sys.__breakpointhook__
    path = pathlib.Path("dump", FILE)
    lines = path.read_text().split("\\n")
    indent = len(lines[LINE - 1]) - len(lines[LINE - 1].lstrip())
    lines.insert(LINE - 1, " " * indent + "breakpoint()  # by hand")
    path.write_text("\\n".join(lines))

sys.breakpointhook = edit_then_debug
"""

CASES = [
    ("eager", "__transformed_code_0_for_step.py", r"__compiled_fn_\d+\(", "'a'", PROGRAM),
    ("eager", "__transformed_code_0_for_torch_dynamo_resume_in_step_at_10.py", r"__compiled_fn_\d+\(", "'x'", PROGRAM),
    ("eager", "__compiled_fn_1.Captured_Graph.0.py", r"= torch\.abs", "'l_a_'", PROGRAM),
    ("inductor", "__compiled_fn_1.kernel_0.py", r"^\s+buf0 = empty", "'arg0_1'", PROGRAM),
    ("aot_eager", "__compiled_fn_1.Forward_graph.0.py", r"= torch\.ops\.aten\.sin", "'primals_1'", BACKWARD),
    ("aot_eager", "__compiled_fn_1.Backward_graph.0.py", r"= torch\.ops\.aten\.cos", "'tangents_1'", BACKWARD),
]


@pytest.mark.parametrize("backend, file, pattern, local, program", CASES, ids=[case[1] for case in CASES])
def test_breakpoint_written_into_a_file(
    run_program: Callable[..., Any],
    tmp_path: pathlib.Path,
    backend: str,
    file: str,
    pattern: str,
    local: str,
    program: str,
) -> None:
    text = program % backend
    done = run_program(text, stdin="continue\n")
    assert done.returncode == 0, done.stdout
    result = re.findall(r"result \d\S*", done.stdout)[0]
    number = first_line_with(tmp_path / "dump" / file, pattern)
    editor = EDITOR.replace("FILE", repr(file)).replace("LINE", str(number))
    once_more = '    with depyf.debug():\n        main()\n    sys.breakpointhook = None\n    main()\n    print("end")\n'
    # Behind everything, so that the lines of the program stay where they are.
    changed = text.replace('if __name__ == "__main__":', editor + 'if __name__ == "__main__":')
    changed = changed.replace('    with depyf.debug():\n        main()\n    print("end")\n', once_more)
    assert changed.count("sys.breakpointhook = None") == 1
    done = run_program(changed, stdin="where\np sorted(locals())\ncontinue\n")
    assert done.returncode == 0, done.stdout
    assert "%s runs as it has been changed" % file in done.stdout
    # pdb stops at the line behind breakpoint().
    assert re.search(r"> \S*%s\(%d\)" % (re.escape(file), number + 1), done.stdout), done.stdout
    assert local in done.stdout
    # With and without debug() the result is what it was, and afterwards nothing stops any more.
    assert re.findall(r"result \d\S*", done.stdout) == [result] * 3
    assert "end" in done.stdout
