"""Sets of formulas, and tables of numbers drawn from them."""

import csv
import re
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ._text import Values, evaluate

HERE = Path(__file__).parent
SETS = ("formulas", "own")
ROWS = 1000
KIND = r"(?P<kind>(?:\+-|U|logU|int|grid)+)"
RANGE = re.compile(KIND + r"\[(?P<low>[^,]+),(?P<high>[^]]+)\]")


@dataclass(frozen=True)
class Range:
    """Where the values of one variable come from.

    Example:
        >>> Range.read("U[1,5]").wider()
        Range(low=-1.0, high=7.0, log=False, signed=False, whole=False)
    """

    low: float
    high: float
    log: bool = False
    signed: bool = False
    whole: bool = False

    @classmethod
    def read(cls, text: str) -> "Range":
        """`U[1,5]`, `logU[1,100]`, `+-U[1,5]`, `intU[1,9]` or `grid[0,1]`."""
        found = RANGE.fullmatch(text)
        if found is None:
            raise ValueError(f"`text` (={text!r}) is not a range such as 'U[1,5]'.")
        kind, low, high = found["kind"], float(found["low"]), float(found["high"])
        if not low < high:
            raise ValueError(f"`text` (={text!r}) must have its lower end first.")
        return cls(low, high, "log" in kind, "+-" in kind, "int" in kind)

    def draw(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Values at random; of a grid too, since its steps differ between sets."""
        if self.log:
            x = np.exp(rng.uniform(np.log(self.low), np.log(self.high), n))
        else:
            x = rng.uniform(self.low, self.high, n)
        x = np.round(x) if self.whole else x
        return x * rng.choice([-1.0, 1.0], n) if self.signed else x

    def wider(self) -> "Range":
        """The range with half of its width more on either side (decades if log)."""
        if self.log:
            half = np.sqrt(self.high / self.low)
            return Range(
                self.low / half, self.high * half, True, self.signed, self.whole
            )
        half = (self.high - self.low) / 2
        ends = self.low - half, self.high + half
        return Range(*ends, False, self.signed, self.whole)


@dataclass(frozen=True)
class Formula:
    """A formula with a known answer: its text, variables, ranges and class."""

    set: str
    id: str
    text: str
    ranges: dict[str, Range]
    kind: str

    @property
    def names(self) -> list[str]:
        """Its variables, unused columns included, in the order of the table."""
        return list(self.ranges)

    @property
    def half(self) -> str:
        """Which half of a set it is in, by the parity of the number in its id."""
        number = re.findall(r"\d+", self.id)
        return "test" if int(number[-1] if number else 0) % 2 else "development"

    def values(self, x: np.ndarray) -> Values:
        """The columns of a table by name."""
        return dict(zip(self.names, np.asarray(x, dtype=float).T, strict=True))

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Its values, row by row."""
        return evaluate(self.text, self.values(x))


def read(name: str) -> list[Formula]:
    """The formulas of a set.

    Args:
        name: "formulas" (published ones) or "own" (made by `generate.py`).

    Returns:
        One `Formula` per line.

    Example:
        >>> len(read("formulas")), read("formulas")[3].text
        (93, 'mu * Nn')
    """
    if name not in SETS:
        raise ValueError(f"`name` (={name!r}) must be one of {', '.join(SETS)}.")
    with (HERE / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return [of_line(line) for line in csv.DictReader(file)]


def of_line(line: dict[str, str]) -> Formula:
    """A line of a set."""
    pairs = (part.split(":") for part in line["ranges"].split())
    ranges = {name: Range.read(text) for name, text in pairs}
    if list(ranges) != line["variables"].split():
        raise ValueError(f"{line['id']}: `ranges` and `variables` differ.")
    return Formula(line["set"], line["id"], line["formula"], ranges, line["kind"])


def inputs(formula: Formula, rng: np.random.Generator, n: int, wide: bool = False):
    """Rows of inputs at random, on the formula's ranges or on the wider box."""
    ranges = formula.ranges.values()
    return np.stack([(r.wider() if wide else r).draw(rng, n) for r in ranges], axis=1)


def table(
    formula: Formula, seed: int = 0, noise: float = 0.0, rows: int = ROWS
) -> tuple[np.ndarray, np.ndarray]:
    r"""A table of a formula: $y = f(x) + \sigma\,\mathrm{std}(f(x))\,\varepsilon$.

    Inputs depend on the seed and the formula's id alone, so that tables of one seed
    differ by their noise only.

    Args:
        formula: The formula.
        seed: Of inputs and noise.
        noise: The standard deviation σ of the noise, as a share of that of y.
        rows: How many.

    Returns:
        Inputs `[rows, variables]` and values `[rows]`.

    Example:
        >>> x, y = table(read("formulas")[3], noise=0.01)
        >>> x.shape, bool(abs(y - x[:, 0] * x[:, 1]).max() < 1)
        ((1000, 2), True)
    """
    key = zlib.crc32(formula.id.encode())
    x = inputs(formula, np.random.default_rng([seed, key, 0]), rows)
    clean = formula(x)
    if not np.isfinite(clean).all():
        raise ValueError(f"{formula.id} is undefined on its ranges.")
    normal = np.random.default_rng([seed, key, 1]).standard_normal(rows)
    return x, clean + noise * clean.std() * normal
