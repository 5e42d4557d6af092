"""What a report may draw of a study, as data. `arithmax.report` knows how."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Plot:
    """A picture with a caption."""

    caption: str


@dataclass(frozen=True)
class Measured(Plot):
    """A measure of every arm with its interval, ours and published, along a label.

    Args:
        measure: "success", "solved_at", "median" or "sparsity".
        x: the label on the axis.
        by: the label that has a colour, if any.
        log: whether the measure's axis is logarithmic.
    """

    measure: str = "success"
    x: str = "model"
    by: str = ""
    log: bool = False


@dataclass(frozen=True)
class Grid(Plot):
    """Success rates over two labels as a heat map."""

    x: str = ""
    y: str = ""


@dataclass(frozen=True)
class Convergence(Plot):
    """Extrapolation error against step: median and quartiles of each arm's seeds."""

    by: str = "model"
    only: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True)
class Seeds(Plot):
    """Every seed as a dot: when it was solved, or the error it ended with."""

    by: str = "model"
    only: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True)
class Weights(Plot):
    """Learned weight matrices of one solved and one unsolved seed of an arm."""

    only: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True)
class Surface(Plot):
    """A rotatable surface z(x, y) out of a computed table, one for each `choice`."""

    table: str = ""
    x: str = "x"
    y: str = "y"
    z: str = "z"
    choice: str = ""


@dataclass(frozen=True)
class Heat(Plot):
    """A map of z over (x, y) out of a computed table, one for each `choice`.

    `log` colours by the logarithm of z. With `across` the maps are that many side by
    side, in one scale of colours, in place of a menu; `limits` are the scale's ends.
    """

    table: str = ""
    x: str = "x"
    y: str = "y"
    z: str = "z"
    choice: str = ""
    log: bool = False
    across: int = 0
    limits: tuple[float, float] | None = None


@dataclass(frozen=True)
class Bars(Plot):
    """A histogram out of a computed table: `y` over `x`, in one panel for each `by`."""

    table: str = ""
    x: str = "x"
    y: str = "y"
    by: str = ""


@dataclass(frozen=True)
class Lines(Plot):
    """Lines out of a computed table: `y` over `x`, a colour each `by`.

    `low` and `high` are columns of an interval, `dashed` a column of theory; `only` are
    columns with the value, or the list of values, of the rows that are drawn.
    """

    table: str = ""
    x: str = "x"
    y: str = "y"
    by: str = ""
    low: str = ""
    high: str = ""
    dashed: str = ""
    log_x: bool = False
    log_y: bool = False
    only: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ImageRow(Plot):
    """Grey images out of a computed table, in a row, with what is known of each.

    Args:
        table: the table, with one row for each image.
        image: the column of the images: the pixels of a square in hexadecimal digits,
            two for each.
        label: the column of what stands above an image.
        below: the columns of the numbers that stand below it.
        only: columns with the value, or the list of values, of the rows that are drawn.
    """

    table: str = ""
    image: str = "image"
    label: str = ""
    below: tuple[str, ...] = ()
    only: Mapping[str, Any] = field(default_factory=dict)
