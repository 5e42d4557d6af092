"""Names of columns as formulas write them: identifiers, no two of them the same."""

import keyword
import re
import unicodedata
from collections.abc import Sequence

FUNCTION_NAMES = ("sin", "cos", "exp", "log", "sqrt")
RESERVED = {*FUNCTION_NAMES, "pi", "numpy", "__debug__"}
"""Words that mean something else in a printed formula, or in its Python source."""


def identifiers(names: Sequence[str]) -> tuple[str, ...]:
    """The names of columns as a formula writes them.

    A name that is an identifier is written as it is. In others each character that an
    identifier cannot have becomes `_`, as does one that is missing before a digit;
    Python's keywords and the words of formulas (`sin`, `pi`, …) get a `_` at their end.
    Of names that become the same, the later ones get a number. Characters are those
    that Python takes them for (NFKC), so that code reads the same names.

    Args:
        names: the names of all columns, of any characters.

    Returns:
        As many names, all different; identifiers give themselves again.

    Examples:
        >>> from arithmax.discover import identifiers
        >>> identifiers(["m", "speed (m/s)", "x-1", "x_1", "lambda", "2nd", "E"])
        ('m', 'speed__m_s_', 'x_1_2', 'x_1', 'lambda_', '_2nd', 'E')
    """
    written = [_identifier(name) for name in names]
    # Whoever is an identifier already keeps its name; the others make way.
    kept = {name for name in names if name == _identifier(name)}
    taken: set[str] = set()
    for i, (name, each) in enumerate(zip(names, written, strict=True)):
        if each in taken or (each in kept and name != each):
            written[i] = _numbered(each, taken | kept | set(written))
        taken.add(written[i])
    return tuple(written)


def _identifier(name: str) -> str:
    text = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name))
    text = "".join(c if ("a" + c).isidentifier() else "_" for c in text) or "_"
    if not text.isidentifier():
        text = f"_{text}"
    reserved = text in RESERVED or keyword.iskeyword(text)
    return f"{text}_" if reserved else text


def _numbered(name: str, taken: set[str]) -> str:
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"
