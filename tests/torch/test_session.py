"""Entering late, twice, again, by hand; and the pieces around prepare_debug."""

import json
import logging
import pathlib
from typing import Any

import pytest
import torch

import depyf


def double(x: Any) -> Any:
    return x * 2


def test_entered_by_hand(tmp_path: pathlib.Path) -> None:
    session = depyf.prepare_debug(str(tmp_path))
    session.__enter__()
    torch.compile(double, backend="eager")(torch.ones(2))
    session.__exit__(None, None, None)
    assert (tmp_path / "full_code_for_double_0.py").exists()


def test_entered_again_and_nested(tmp_path: pathlib.Path) -> None:
    session = depyf.prepare_debug(str(tmp_path))
    for _ in range(2):
        torch._dynamo.reset()
        with session, session:
            torch.compile(double, backend="eager")(torch.ones(2))
    assert (tmp_path / "index.md").exists()


def test_compiled_before_entry(tmp_path: pathlib.Path) -> None:
    compiled = torch.compile(double, backend="eager")
    compiled(torch.ones(2))
    with depyf.prepare_debug(str(tmp_path)):
        compiled(torch.ones(2))
    text = (tmp_path / "full_code_for_double_0.py").read_text()
    assert "def __transformed_code_0_for_double(x):" in text
    assert "L['x'].dtype is torch.float32" in text


def test_several_entries(tmp_path: pathlib.Path) -> None:
    with depyf.prepare_debug(str(tmp_path)):
        compiled = torch.compile(double, backend="eager")
        compiled(torch.ones(2))
        compiled(torch.ones(2, dtype=torch.int64))
        compiled(torch.ones(3))
    text = (tmp_path / "full_code_for_double_0.py").read_text()
    for number in range(3):
        assert "def __guard_%d_for_double" % number in text
    assert "dtype mismatch" in (tmp_path / "index.md").read_text()


def test_odd_names(tmp_path: pathlib.Path) -> None:
    with depyf.prepare_debug(str(tmp_path)):
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
    path = tmp_path / "__transformed_code_0_for__lambda_.py"
    compile(path.read_text(), str(path), "exec")


def test_metadata(tmp_path: pathlib.Path) -> None:
    with depyf.prepare_debug(str(tmp_path)):
        torch.compile(double)(torch.ones(2))
    document = json.loads((tmp_path / "metadata.json").read_text())
    kinds = {file["kind"] for file in document["files"]}
    assert {"transformed_code", "Captured_Graph", "kernel", "full_code"} <= kinds
    assert document["transformed_codes"][0]["compile_id"] == "0/0"


def test_log_bytecode(tmp_path: pathlib.Path) -> None:
    with depyf.prepare_debug(str(tmp_path), log_bytecode=True):
        torch.compile(double, backend="eager")(torch.ones(2))
    assert "RETURN_VALUE" in (tmp_path / "__transformed_code_0_for_double.transformed_bytecode.txt").read_text()


def test_dump_src(tmp_path: pathlib.Path) -> None:
    from depyf.explain import dump_src

    with pytest.raises(RuntimeError):
        dump_src(double.__code__, globals())
    with depyf.prepare_debug(str(tmp_path)):
        torch.compile(double, backend="eager")(torch.ones(2))
        assert "compiled_double" in dump_src(double.__code__, globals())


def test_debug_needs_a_dump_and_stands_outside(tmp_path: pathlib.Path) -> None:
    with depyf.prepare_debug(str(tmp_path)), pytest.raises(RuntimeError), depyf.debug():
        pass


def test_install() -> None:
    torch._logging.set_logs(bytecode=True)
    log = torch._logging.getArtifactLogger("torch._dynamo.convert_frame", "bytecode")
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    log.addHandler(handler)
    depyf.install()
    depyf.install()
    try:
        torch.compile(double, backend="eager")(torch.ones(2))
    finally:
        depyf.uninstall()
        depyf.uninstall()
        log.removeHandler(handler)
        torch._logging.set_logs()
    assert any("source code" in line for line in lines)


def test_custom_dispatcher() -> None:
    from depyf.optimization import TorchCompileWrapperWithCustomDispatcher

    class Adder(TorchCompileWrapperWithCustomDispatcher):
        def __init__(self) -> None:
            super().__init__(torch.compile(self.forward, backend="eager"))

        def forward(self, x: Any) -> Any:
            return x + 1

        def __call__(self, x: Any) -> Any:
            if not self.compiled_codes:
                return self.compiled_callable(x)
            with self.dispatch_to_code(0):
                return self.forward(x)

    adder = Adder()
    try:
        assert torch.equal(adder(torch.ones(2)), torch.full((2,), 2.0))
        assert len(adder.compiled_codes) == 1
        assert torch.equal(adder(torch.ones(2)), torch.full((2,), 2.0))
    finally:
        adder._hook.remove()
