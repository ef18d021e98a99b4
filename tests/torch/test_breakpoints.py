"""Breakpoints in dumped files, in a real pdb: one process, commands on its standard input."""

import pathlib
import re
from typing import Any, Callable

PROGRAM = """
import sys
import torch
import depyf

BACKEND = %r

def step(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b

compiled = torch.compile(step, backend=BACKEND)

def main():
    torch.manual_seed(0)
    print("result", compiled(torch.arange(10.0), torch.ones(10)).sum().item())

if __name__ == "__main__":
    with depyf.prepare_debug("dump"):
        main()
    with depyf.debug():
        main()
    print("end")
"""


def first_line_with(path: pathlib.Path, pattern: str) -> int:
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if re.search(pattern, line):
            return number
    raise AssertionError("no line with %s in %s" % (pattern, path))


def session(
    run_program: Callable[..., Any], tmp_path: pathlib.Path, backend: str, file: str, line: str, program: str = PROGRAM
) -> str:
    """Dumps once to learn the line numbers, then runs again with a breakpoint."""
    text = program % backend
    assert run_program(text, stdin="continue\n").returncode == 0
    number = first_line_with(tmp_path / "dump" / file, line)
    commands = "break dump/%s:%d\ncontinue\nwhere\np sorted(locals())\nclear 1\ncontinue\ncontinue\n" % (file, number)
    done = run_program(text, stdin=commands)
    assert done.returncode == 0, done.stdout
    assert re.search(r"> \S*%s\(%d\)" % (re.escape(file), number), done.stdout), done.stdout
    assert "end" in done.stdout
    return str(done.stdout)


def test_transformed_code(run_program: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    output = session(run_program, tmp_path, "eager", "__transformed_code_0_for_step.py", r"__compiled_fn_\d+\(")
    assert "'a'" in output and "'b'" in output


def test_resume_function(run_program: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    name = "__transformed_code_0_for_torch_dynamo_resume_in_step_at_10.py"
    assert "'x'" in session(run_program, tmp_path, "eager", name, r"__compiled_fn_\d+\(")


def test_graph(run_program: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    name = "__compiled_fn_1.Captured_Graph.0.py"
    assert "'l_a_'" in session(run_program, tmp_path, "eager", name, r"= torch\.abs")


def test_inductor_call(run_program: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    output = session(run_program, tmp_path, "inductor", "__compiled_fn_1.kernel_0.py", r"^\s+buf0 = empty")
    assert "'arg0_1'" in output or "'buf0'" in output


BACKWARD = (
    PROGRAM.replace("def step(a, b):", "def step(a, b):\n    return (a * b).sin()\n\ndef unused(a, b):")
    .replace("compiled(torch.arange(10.0), torch.ones(10)).sum().item()", "train()")
    .replace(
        "def main():",
        "def train():\n    a = torch.arange(10.0, requires_grad=True)\n    compiled(a, torch.ones(10)).sum().backward()\n"
        "    return a.grad.sum().item()\n\ndef main():",
    )
)


def test_forward_graph(run_program: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    name = "__compiled_fn_1.Forward_graph.0.py"
    assert "'primals_1'" in session(run_program, tmp_path, "aot_eager", name, r"= torch\.ops\.aten\.sin", BACKWARD)


def test_backward_graph(run_program: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    name = "__compiled_fn_1.Backward_graph.0.py"
    assert "'tangents_1'" in session(run_program, tmp_path, "aot_eager", name, r"= torch\.ops\.aten\.cos", BACKWARD)
