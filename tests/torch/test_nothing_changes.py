"""With prepare_debug on, the program is the one that runs without it."""

import os
import pathlib
import warnings
from types import CodeType
from typing import Any, Callable, List, Tuple

import pytest
import torch
from torch._dynamo import convert_frame

import depyf
from depyf.torch.artifacts import graphs, guards, transformed


def branches(x: Any, y: Any) -> Any:
    z = x.sin() + y
    if z.sum() > 0:
        z = z * 2
    print("")
    return z.cos()


def loops(x: Any, y: Any) -> Any:
    for i in range(3):
        x = x + i
    torch._dynamo.graph_break()
    for i in range(2):
        x = x * (y - i)
    return {"sum": x.sum(), "parts": [x, y]}["parts"][0]


def closes_over(x: Any, y: Any) -> Any:
    scale = x.mean()

    def inner(v: Any) -> Any:
        torch._dynamo.graph_break()
        return v * scale

    return inner(y) + x


def keywords(x: Any, *rest: Any, **options: Any) -> Any:
    torch._dynamo.graph_break()
    return x + rest[0] * options.get("factor", 2)


PROGRAMS = [branches, loops, closes_over, keywords]


def everything_but_lines(code: CodeType) -> Tuple[Any, ...]:
    """All fields of a code object that decide what it does."""
    consts = tuple(everything_but_lines(c) if isinstance(c, CodeType) else (type(c), id(c)) for c in code.co_consts)
    fields = [
        name
        for name in dir(code)
        if name.startswith("co_")
        and name
        not in ("co_consts", "co_filename", "co_firstlineno", "co_lnotab", "co_linetable", "co_lines", "co_positions")
        and not callable(getattr(code, name))
    ]
    return tuple(getattr(code, name) for name in fields) + consts


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_running_bytecode_is_dynamos(program: Callable[..., Any], tmp_path: pathlib.Path, capsys: Any) -> None:
    made: List[CodeType] = []
    running: List[CodeType] = []
    first = convert_frame.register_bytecode_hook(lambda old, new: made.append(new))
    x, y = torch.randn(6), torch.randn(6)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with depyf.prepare_debug(str(tmp_path / "dump")):
                last = convert_frame.register_bytecode_hook(lambda old, new: running.append(new))
                try:
                    result = torch.compile(program, backend="eager")(x, y)
                finally:
                    last.remove()
    finally:
        first.remove()
    assert made and len(made) == len(running)
    for one, other in zip(made, running):
        assert everything_but_lines(one) == everything_but_lines(other)
        assert other.co_filename.startswith(str(tmp_path))
    torch._dynamo.reset()
    assert torch.equal(result, torch.compile(program, backend="eager")(x, y))


def test_training_is_bit_identical(tmp_path: pathlib.Path) -> None:
    def train() -> List[Any]:
        torch._dynamo.reset()
        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 1))
        compiled = torch.compile(model)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            loss = compiled(torch.randn(4, 8)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return [parameter.detach().clone() for parameter in model.parameters()]

    plain = train()
    with depyf.prepare_debug(str(tmp_path / "dump")):
        watched = train()
    assert all(torch.equal(one, other) for one, other in zip(plain, watched))


@pytest.mark.parametrize("where", ["graphs", "guards", "transformed", "relink", "dill", "full disk"])
def test_a_defect_of_ours_costs_one_artifact(where: str, tmp_path: pathlib.Path, monkeypatch: Any) -> None:
    def broken(*arguments: Any, **options: Any) -> Any:
        raise ZeroDivisionError("on purpose")

    if where == "full disk":
        monkeypatch.setattr(os, "replace", lambda *a: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        warnings.simplefilter("ignore")
    else:
        from depyf.torch import pickles, relink

        owner, name = {
            "graphs": (graphs, "render"),
            "guards": (guards, "parse"),
            "transformed": (transformed, "render"),
            "relink": (relink, "to_file"),
            "dill": (pickles, "_pickled"),
        }[where]
        monkeypatch.setattr(owner, name, broken)
    x, y = torch.randn(6), torch.randn(6)
    with depyf.prepare_debug(str(tmp_path)):
        result = torch.compile(branches, backend="eager")(x, y)
    assert torch.equal(result, branches(x, y))
    monkeypatch.undo()
    if where != "full disk":
        assert "on purpose" in (tmp_path / "index.md").read_text()


def test_an_exception_of_the_user_passes_and_the_hooks_are_gone(tmp_path: pathlib.Path) -> None:
    with pytest.raises(KeyError), depyf.prepare_debug(str(tmp_path)):
        torch.compile(branches, backend="eager")(torch.randn(3), torch.randn(3))
        raise KeyError("the user's")
    assert (tmp_path / "index.md").exists()


def test_traceback_shows_the_dumped_file(tmp_path: pathlib.Path) -> None:
    def fails(x: Any) -> Any:
        y = x + 1
        torch._dynamo.graph_break()
        raise_from_python(y)
        return y

    with depyf.prepare_debug(str(tmp_path)), pytest.raises(ValueError) as caught:
        torch.compile(fails, backend="eager")(torch.randn(3))
    files = [str(entry.path) for entry in caught.traceback]
    assert any("__transformed_code_" in file for file in files), files


@torch._dynamo.disable
def raise_from_python(value: Any) -> None:
    raise ValueError("the user's")
