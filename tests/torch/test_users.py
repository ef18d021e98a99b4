"""What users of depyf do and have reported, each as a program of its own or as they call it."""

import gc
import json
import os
import pathlib
import sys
import types
from typing import Any, Callable, Dict, Tuple

import pytest
import torch

import depyf
from depyf.torch import compat


def test_as_vllm_uses_it(tmp_path: pathlib.Path) -> None:
    """prepare_debug entered by hand, a hook that walks up to Dynamo's frame, `depyf.decompile` of the new code inside of
    it, all guards dropped, and `forward.__code__` exchanged for the code that the hook saw."""

    class Wrapper:
        def __init__(self) -> None:
            self.weight = torch.full((2,), 3.0)
            self.code: Any = None
            self.source = ""
            drop = {"guard_filter_fn": lambda entries: [False for _ in entries]}
            self.compiled = torch.compile(self.forward, fullgraph=True, dynamic=False, backend="eager", options=drop)
            self.hook = torch._dynamo.convert_frame.register_bytecode_hook(self.on_bytecode)

        def forward(self, x: Any, scale: Any = None) -> Any:
            return x * self.weight

        def on_bytecode(self, old: Any, new: Any) -> None:
            if old is not type(self).forward.__code__:
                return
            frame: Any = sys._getframe()
            while frame and frame.f_back:
                frame = frame.f_back
                if (
                    frame.f_code.co_name == "_compile"
                    and os.path.basename(frame.f_code.co_filename) == "convert_frame.py"
                ):
                    break
            assert frame.f_locals["frame"].f_locals["self"] is self
            self.code = new
            self.source = depyf.decompile(new)

        def __call__(self, *args: Any) -> Any:
            if self.code is None:
                return self.compiled(*args)
            original = type(self).forward.__code__
            type(self).forward.__code__ = self.code  # type: ignore[method-assign]
            try:
                return self.forward(*args)
            finally:
                type(self).forward.__code__ = original  # type: ignore[method-assign]

    for when in ("before", "after"):  # the hook is registered before prepare_debug, or after it
        folder = tmp_path / when
        manager = depyf.prepare_debug(folder.as_posix())
        wrapper = Wrapper() if when == "before" else None
        manager.__enter__()
        wrapper = wrapper or Wrapper()
        try:
            results = [wrapper(torch.ones(2)) for _ in range(3)]
        finally:
            manager.__exit__(None, None, None)
            wrapper.hook.remove()
        assert all(torch.equal(result, torch.full((2,), 3.0)) for result in results)
        assert wrapper.source.startswith("def forward(self, x, scale") and "__compiled_fn_" in wrapper.source
        assert (folder / "__transformed_code_0_for_forward.py").exists()
        assert "Torch shows no guards" in (folder / "full_code_for_forward_0.py").read_text()
        torch._dynamo.reset()


def functions_of_torch() -> Dict[Tuple[str, str], int]:
    """Every function, class and method that torch.compile consists of, by name."""
    found = {}
    for name, module in list(sys.modules.items()):
        if ".compile_tasks." in name:
            continue  # generated code, of this very program
        if name.startswith(("torch._dynamo", "torch._inductor", "torch._functorch", "torch.fx", "torch._logging")):
            for key, value in list(vars(module).items()):
                if isinstance(value, (types.FunctionType, type)):
                    found[name, key] = id(value)
                if isinstance(value, type) and value.__module__ == name:
                    for method, function in list(vars(value).items()):
                        if isinstance(function, types.FunctionType):
                            found[name, key + "." + method] = id(function)
    return found


def double(x: Any) -> Any:
    return x * 2


def test_no_function_of_torch_is_replaced(tmp_path: pathlib.Path) -> None:
    torch.compile(double)(torch.ones(2))  # loads what is loaded late
    torch._dynamo.reset()
    before = functions_of_torch()
    with depyf.prepare_debug(str(tmp_path)):
        inside = functions_of_torch()
        torch.compile(double)(torch.ones(2))
    after = functions_of_torch()
    assert len(before) > 1000
    assert {key: value for key, value in inside.items() if key in before} == before
    assert {key: value for key, value in after.items() if key in before} == before


def test_modules_freed_meanwhile(tmp_path: pathlib.Path) -> None:
    with depyf.prepare_debug(str(tmp_path)):
        for size in (2, 3):
            model = Scaled(size)
            torch.compile(model, backend="eager")(torch.ones(size))
            del model
            gc.collect()
    assert len(list(tmp_path.glob("__transformed_code_*_for_forward.py"))) == 2
    text = (tmp_path / "full_code_for_forward_0.py").read_text()
    compile(text, "full_code", "exec")
    assert "__compiled_fn_" in text
    assert "## Not dumped" not in (tmp_path / "index.md").read_text()


def test_a_dump_keeps_no_tensor_alive(tmp_path: pathlib.Path) -> None:
    import weakref

    session = depyf.prepare_debug(str(tmp_path))
    with session:
        model = torch.nn.Linear(2, 2)
        alive = weakref.ref(model.weight)
        torch.compile(model, backend="eager")(torch.ones(1, 2))
    torch._dynamo.reset()
    del model
    gc.collect()
    assert alive() is None


def test_guards_over_shapes(tmp_path: pathlib.Path) -> None:
    def limited(x: Any) -> Any:
        if x.shape[0] * 2 > 7 and x.shape[0] % 2 == 0:
            return x + 1
        return x - 1

    with depyf.prepare_debug(str(tmp_path)):
        compiled = torch.compile(limited, backend="eager", dynamic=True)
        for size in (4, 5, 6):
            compiled(torch.ones(size, 3))
    module: Dict[str, Any] = {"__name__": "full_code"}
    text = (tmp_path / "full_code_for_limited_0.py").read_text()
    exec(compile(text, "full_code", "exec"), module)
    holds = [name for name in module if name.startswith("__guard_")]
    assert len(holds) == 2

    def which(size: int) -> Any:
        return [name for name in sorted(holds) if module[name]({"x": torch.ones(size, 3)}, module)]

    assert which(4) == which(6) != which(5)
    assert len(which(4)) == len(which(5)) == 1
    assert which(2) != which(4)  # 2 * 2 is not above 7
    for size in (2, 4, 5, 6):
        assert torch.equal(module["compiled_limited"](torch.ones(size, 3)), limited(torch.ones(size, 3)))


def test_any_arguments_and_odd_names(tmp_path: pathlib.Path) -> None:
    def ünïcode(first: Any, *rest: Any, flag: bool = True, **options: Any) -> Any:
        torch._dynamo.graph_break()
        return first + sum(rest) * options.get("scale", 1) if flag else first

    with depyf.prepare_debug(str(tmp_path)):
        compiled = torch.compile(ünïcode, backend="eager")
        want = compiled(torch.ones(2), 2, 3, scale=4)
    module: Dict[str, Any] = {"__name__": "full_code"}
    text = (tmp_path / "full_code_for_ünïcode_0.py").read_text(encoding="utf-8")
    exec(compile(text, "full_code", "exec"), module)
    got = module["compiled_ünïcode"](torch.ones(2), 2, 3, scale=4)
    assert torch.equal(got, want) and torch.equal(got, torch.full((2,), 21.0))


def test_free_variables_in_any_order(tmp_path: pathlib.Path) -> None:
    def outer() -> Callable[..., Any]:
        zeta, alpha, mid = 2.0, torch.ones(2), [3.0]

        def inner(x: Any) -> Any:
            nonlocal zeta
            local = x * zeta

            def innermost() -> Any:
                return local + mid[0]

            torch._dynamo.graph_break()
            zeta += 1
            return innermost() * alpha

        return inner

    with depyf.prepare_debug(str(tmp_path)):
        inner = outer()
        compiled = torch.compile(inner, backend="eager")
        results = [compiled(torch.ones(2)) for _ in range(2)]
    expected = outer()
    assert [r.tolist() for r in results] == [expected(torch.ones(2)).tolist() for _ in range(2)]
    module: Dict[str, Any] = {"__name__": "full_code"}
    text = (tmp_path / "full_code_for_inner_0.py").read_text()
    exec(compile(text, "full_code", "exec"), module)
    fresh = outer()
    from_dump = module["compiled_inner"](fresh.__closure__)  # in the place of `fresh`, with its own cells
    assert [from_dump(torch.ones(2)).tolist() for _ in range(2)] == [r.tolist() for r in results]


def test_a_folder_for_each_rank(run_program: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    program = "import torch, depyf\nwith depyf.prepare_debug('dump'):\n"
    program += "    torch.compile(lambda x: x + 1, backend='eager')(torch.ones(2))\n"
    for rank in ("0", "1"):
        done = run_program(program, env={"WORLD_SIZE": "2", "RANK": rank, "LOCAL_RANK": rank})
        assert done.returncode == 0, done.stdout
    for rank in (0, 1):
        assert (tmp_path / "dump" / ("rank_%d" % rank) / "index.md").exists()
    assert not (tmp_path / "dump" / "index.md").exists()


FORKED = """
import os, torch, depyf
torch.set_num_threads(1)
with depyf.prepare_debug("dump"):
    compiled = torch.compile(lambda x: x + 1, backend="eager")
    compiled(torch.ones(2))
    before = sorted(os.listdir("dump"))
    child = os.fork()
    if child == 0:
        torch._dynamo.reset()
        ok = torch.equal(torch.compile(lambda x: x * 5, backend="eager")(torch.ones(2)), torch.full((2,), 5.0))
        os._exit(0 if ok and sorted(os.listdir("dump")) == before else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
print("end")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_worker_leaves_the_dump_alone(run_program: Callable[..., Any], tmp_path: pathlib.Path) -> None:
    done = run_program(FORKED)
    assert done.returncode == 0 and "end" in done.stdout, done.stdout
    assert (tmp_path / "dump" / "index.md").exists()


def kinds(folder: pathlib.Path) -> Any:
    return {file["kind"] for file in json.loads((folder / "metadata.json").read_text())["files"]}


def test_compiled_autograd(tmp_path: pathlib.Path) -> None:
    if not hasattr(torch._dynamo.config, "compiled_autograd"):
        pytest.skip("this torch has no option for compiled autograd")

    def train(x: Any) -> Any:
        (x * x).sum().backward()
        return x.grad

    with depyf.prepare_debug(str(tmp_path)), torch._dynamo.config.patch(compiled_autograd=True):
        x = torch.arange(3.0, requires_grad=True)
        torch.compile(lambda: train(x), backend="eager")()
    assert x.grad.tolist() == [0.0, 2.0, 4.0]
    assert "Compiled_autograd_graph" in kinds(tmp_path)
    for path in tmp_path.glob("*.py"):
        compile(path.read_text(), str(path), "exec", dont_inherit=True)


class Scaled(torch.nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(size))

    def forward(self, x: Any) -> Any:
        return x * self.weight


def test_export(tmp_path: pathlib.Path) -> None:
    """Torch's trace has the exported program of draft_export only."""
    from torch.export import draft_export, export

    with depyf.prepare_debug(str(tmp_path), clean_wild_fx_code=False):
        program = export(Scaled(2), (torch.ones(2),), strict=True)
        draft = draft_export(Scaled(2), (torch.ones(2),))
    assert torch.equal(program.module()(torch.full((2,), 3.0)), draft.module()(torch.full((2,), 3.0)))
    assert "Exported_program" in kinds(tmp_path)
    for path in tmp_path.glob("*.py"):
        compile(path.read_text(), str(path), "exec", dont_inherit=True)


def test_max_autotune_loads_its_templates(tmp_path: pathlib.Path) -> None:
    def product(x: Any, y: Any) -> Any:
        return torch.mm(x, y).relu()

    x, y = torch.randn(32, 32), torch.randn(32, 32)
    from torch._inductor import config

    options = {"max_autotune_gemm_backends": "CPP,ATEN", "force_disable_caches": True}
    with config.patch(**options), torch.no_grad(), depyf.prepare_debug(str(tmp_path)):
        result = torch.compile(product, mode="max-autotune-no-cudagraphs")(x, y)
    torch.testing.assert_close(result, product(x, y))
    assert "kernel" in kinds(tmp_path)
    assert "## Not dumped" not in (tmp_path / "index.md").read_text()


def test_what_an_old_torch_lacks_is_named(monkeypatch: Any) -> None:
    monkeypatch.setattr(torch, "__version__", "2.4.1")
    assert "2.6 and later" in compat.missing()["kernel"]
    monkeypatch.setattr(torch, "__version__", "2.13.0")
    assert "kernel" not in compat.missing()
