"""Skip Dynamo's guards: a class that decides by itself which compiled code to run."""

from contextlib import contextmanager
from types import CodeType
from typing import Any, Callable, Iterator, List, Optional

from depyf.torch import compat


class TorchCompileWrapperWithCustomDispatcher:
    """Base class of a module whose `__call__` chooses among the codes that torch.compile made of `forward`.

    A subclass defines `forward`, passes `torch.compile(self.forward, ...)` on to `__init__`, and in `__call__` looks at
    `self.compiled_codes` and runs one of them under `with self.dispatch_to_code(index): return self.forward(...)`.
    """

    def __init__(self, compiled_callable: Callable[..., Any], use_custom_dispatcher: bool = True) -> None:
        self.compiled_callable = compiled_callable
        self.original_code_object: CodeType = self.__class__.forward.__code__
        self.compiled_codes: List[CodeType] = []
        self.use_custom_dispatcher = use_custom_dispatcher
        self._hook = compat.register_bytecode_hook(self.bytecode_hook)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The place for the subclass's own dispatch; by default Dynamo dispatches."""
        return self.compiled_callable(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What is compiled."""
        raise NotImplementedError

    def bytecode_hook(self, old_code: CodeType, new_code: CodeType) -> Optional[CodeType]:
        """Keeps the code that Dynamo makes of this very object's `forward`."""
        if old_code is self.original_code_object:
            frame = compat.dynamo_frame()
            if frame is None or frame.f_locals.get("self") is self:
                self.compiled_codes.append(new_code)
        return None

    @contextmanager
    def dispatch_to_code(self, index: int) -> Iterator[None]:
        """Inside, `forward` is the compiled code with that index: Dynamo keeps arguments, cells and free variables of
        the original, so the code objects can be exchanged."""
        self.__class__.forward.__code__ = self.compiled_codes[index]  # type: ignore[method-assign,unused-ignore]
        try:
            yield
        finally:
            self.__class__.forward.__code__ = self.original_code_object  # type: ignore[method-assign,unused-ignore]
