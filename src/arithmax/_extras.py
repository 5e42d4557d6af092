"""What to install where a package is missing that comes with an extra of this one.

The base install has units, layers and formulas; what trains, draws or tells formulas
comes with extras. This file loads no library.
"""

from collections.abc import Iterator
from contextlib import contextmanager

EXTRAS = {
    "jax": "fleet",
    "jaxlib": "fleet",
    "optax": "fleet",
    "scipy": "fleet",
    "duckdb": "fleet",
    "safetensors": "fleet",
    "torch": "torch",
    "equinox": "equinox",
    "sympy": "discover",
    "sklearn": "discover",
    "pandas": "discover",
    "onnx": "onnx",
    "plotly": "report",
    "kaleido": "report",
    "markdown_it": "report",
    "latex2mathml": "docs",
    "mlxtend": "digits",
    "ray": "cluster",
    "numpyro": "bayes",
}
"""The extra that each package comes with."""


def install(extra: str) -> str:
    """The command that installs an extra, as it works in a clone of the repository.

    Examples:
        >>> from arithmax._extras import install
        >>> install("torch")
        '`pip install -c constraints.txt ".[torch]"` in a clone of arithmax'
    """
    return f'`pip install -c constraints.txt ".[{extra}]"` in a clone of arithmax'


def remedy(error: ImportError) -> str | None:
    """Which command installs what an import lacks; None if no extra has it.

    Examples:
        >>> from arithmax._extras import remedy
        >>> print(remedy(ModuleNotFoundError(name="torch.nn")))
        torch is not installed. Install it with `pip install -c constraints.txt
        ".[torch]"` in a clone of arithmax.
    """
    package = (error.name or "").partition(".")[0]
    if package not in EXTRAS:
        return None
    return f"{package} is not installed. Install it with {install(EXTRAS[package])}."


@contextmanager
def extras() -> Iterator[None]:
    """Imports that need an extra: where one fails, the error says which command helps.

    Raises:
        ImportError: a package is missing that an extra has.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (text := remedy(error)) is None:
            raise
        raise ImportError(text, name=error.name) from error
