"""Linear algebra on one thread: small matrices are quicker so, and sums the same."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """NumPy's BLAS uses one thread inside, where threadpoolctl is installed.

    A formula then does not depend on how many cores there are.
    """
    controller = _controller()
    if controller is None:
        yield
    else:
        with controller.limit(limits=1):
            yield


@cache
def _controller() -> Any:
    try:
        from threadpoolctl import ThreadpoolController
    except ModuleNotFoundError:
        return None
    return ThreadpoolController()
