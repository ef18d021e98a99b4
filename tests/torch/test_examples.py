"""The two programs of examples/, run as a user runs them."""

import ast
import pathlib
from types import CodeType
from typing import Any, Callable

import dill
import pytest
from conftest import EXAMPLES


@pytest.fixture
def dumped(run_program: Callable[..., Any], tmp_path: pathlib.Path) -> Callable[[str], pathlib.Path]:
    def run(name: str) -> pathlib.Path:
        done = run_program((EXAMPLES / name).read_text(), "-W", "error::UserWarning")
        assert done.returncode == 0, done.stdout
        return tmp_path / "dump_src_dir"

    return run


BERT_KINDS = {
    *("transformed_code", "original_bytecode", "transformed_bytecode", "decompiled_and_compiled_back_bytecode"),
    *("Captured_Graph", "Joint_graph", "Forward_graph", "Backward_graph", "kernel", "full_code"),
    *("Before_pre_grad_graph", "After_pre_grad_graph", "Before_post_grad_graph", "Post_grad_graph"),
    "fx_graph_runnable",
}


def check_files(folder: pathlib.Path) -> None:
    for path in folder.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        compile(text, str(path), "exec", dont_inherit=True)
        assert text.startswith("# "), path
    for path in folder.glob("*_bytecode"):
        with path.open("rb") as stream:
            assert isinstance(dill.load(stream), CodeType), path
    assert not list(folder.glob("*.part"))


def test_toy_example(dumped: Callable[[str], pathlib.Path]) -> None:
    folder = dumped("toy.py")
    check_files(folder)
    names = {path.name for path in folder.iterdir()}
    stems = ["__transformed_code_0_for_toy_example"]
    stems += ["__transformed_code_%d_for_torch_dynamo_resume_in_toy_example_at_7" % number for number in (0, 1)]
    for stem in stems:
        for suffix in ("", ".original_bytecode", ".transformed_bytecode", ".decompiled_and_compiled_back_bytecode"):
            assert stem + ".py" + suffix in names
    for function in ("__compiled_fn_1", "__compiled_fn_5", "__compiled_fn_7"):
        assert {function + ".Captured_Graph.0.py", function + ".kernel_0.py"} <= names
    assert {"full_code_for_toy_example_0.py", "index.md", "metadata.json"} <= names


def test_full_code_shows_the_dispatch(dumped: Callable[[str], pathlib.Path]) -> None:
    text = (dumped("toy.py") / "full_code_for_toy_example_0.py").read_text()
    functions = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    functions.remove("__graph")  # a helper, above everything
    assert functions[:4] == [
        "toy_example",
        "compiled_toy_example",
        "__guard_0_for_toy_example",
        "__transformed_code_0_for_toy_example",
    ]
    assert len([name for name in functions if name.startswith("__resume_at_")]) == 2
    assert "# x = a / (torch.abs(a) + 1)  (" in text
    assert "L['a'].dtype is torch.float32" in text


def test_training_step(dumped: Callable[[str], pathlib.Path]) -> None:
    folder = dumped("train_step.py")
    check_files(folder)
    for kind in ("Captured_Graph.0", "Joint_graph.0", "Forward_graph.0", "Backward_graph.0", "kernel_0", "kernel_1"):
        assert (folder / ("__compiled_fn_1.%s.py" % kind)).exists(), kind


def test_bert_training_step(run_program: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    pytest.importorskip("transformers", reason="the example needs a model of transformers")
    environment = {"HF_HUB_OFFLINE": "1", "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}
    done = run_program((EXAMPLES / "bert_step.py").read_text(), env=environment)
    assert done.returncode == 0, done.stdout
    folder = tmp_path / "dump_src_dir"
    check_files(folder)
    kinds = {line.split()[1] for line in done.stdout.splitlines() if line[:4].strip().isdigit()}
    assert kinds >= BERT_KINDS, (BERT_KINDS - kinds, done.stdout)
    page = (folder / "index.md").read_text()
    for absent in (
        "Inference_graph",
        "Before_joint_graph",
        "After_joint_graph",
        "DDP_split_graph",
        "Exported_program",
    ):  # not silently
        assert "| %s | 0 | " % absent in page
    assert "## Not dumped" not in page and "## Not in this torch" not in page
