"""From a trained network to a formula, by the judge that decides about any other."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._checks import check_number, check_whole, shown
from .._extras import extras
from .._network import Network
from ..discover import Candidate, Formula, Judge, Number, Sum, Table, Verdict
from ._arguments import as_array, column_names, finite_array
from ._reading import Reading
from ._sympy import from_sympy

LARGEST = 40  # constants that are fitted at once: of more none would be certain
WORSE = 2.0  # how many times the error of the network that of a formula may be
FEWEST = 10  # rows
ROUNDS = 3  # in which a formula is judged again


def readout(
    network: Network,
    params: Mapping[str, Any],
    x: Any,
    y: Any,
    *,
    names: Sequence[str] | None = None,
    output: int | None = None,
    tolerance: float = 0.125,
    seed: int = 0,
) -> Reading:
    """The formula that a trained network has learned, judged on a table.

    The network is drawn to the nearest weights at which it is exact and written down;
    its constants are fitted to the rows, rounded, named and verified as those of every
    other formula. Where weights have no such neighbours, the network is written down as
    it is, and its exponents and constants are rounded one by one. The errors before and
    after say what that cost, and a formula that explains less than the network does, or
    leaves something to explain, is not found.

    Args:
        network: a unit, a stack, a scaled network, or another one with an `expression`.
        params: its parameters by name, as the fleet, a layer of PyTorch (`state_dict`)
            or one of Equinox (`params`) has them; arrays of any framework.
        x: the inputs [row, column].
        y: the targets [row].
        names: the names of the columns; x1, x2, … if None.
        output: which output of the network `y` is; None if there is one only.
        tolerance: the root of the mean squared error, over the spread of the target, up
            to which a formula may count as found.
        seed: which rows are held out.

    Returns:
        A reading: the formula, a verdict, and the errors on the way.

    Examples:
        >>> import numpy as np
        >>> from arithmax import NAU, NMU, Stack
        >>> from arithmax.readout import readout
        >>> x = np.random.default_rng(0).uniform(1, 3, (100, 2))
        >>> energy = 0.5 * x[:, 0] * x[:, 1] ** 2
        >>> network = Stack((NAU(), NMU()), hidden=(3,))
        >>> trained = {"0.W": np.array([[0.98, 0.0], [0.0, 0.99], [0.01, 0.97]])}
        >>> trained["1.W"] = np.array([[0.96, 0.99, 0.98]])
        >>> reading = readout(network, trained, x, energy, names=["m", "v"])
        >>> print(reading.formula.sympy(), "|", reading.verdict)
        m*v**2/2 | exact on this data
        >>> print(reading.discrete_formula, f"{reading.discrete_error:.1f}")
        m*v**2 1.9
    """
    table = _Rows(network, params, x, y, names, output)
    check_number("tolerance", tolerance, 0, 1)
    check_whole("seed", seed, 0)
    judge = Judge(Table.split(table.x, table.y, table.names, seed=seed), tolerance)
    tried: list[str] = []
    discrete = _discrete(table, tried)
    for stage, formula in _candidates(table, discrete, tried):
        candidate = judge.consider(formula.root, stage)
        tried.append(f"{stage}: {_outcome(candidate)}")
        if judge.best is not None and judge.best.verdict is Verdict.EXACT:
            break
    return _reading(table, discrete, _settled(judge), tried)


class _Rows:
    """A network with its parameters as float64 arrays, and rows that fit it."""

    def __init__(self, network, params, x, y, names, output) -> None:
        if not isinstance(network, Network) or network.input_axes != 1:
            raise TypeError(
                f"`network` (={shown(network)}) must be a network over columns, such "
                "as `NMU()` or `Stack((NAU(), NMU()), hidden=(2,))`."
            )
        self.network = network
        if not isinstance(params, Mapping):
            raise TypeError(
                f"`params` (={shown(params)}) must be a dictionary of arrays by name."
            )
        self.params = {name: as_array(value) for name, value in params.items()}
        self.x, self.y = finite_array("x", x, 2), finite_array("y", y, 1)
        self._check_rows()
        sizes = network.check_parameters(self.params)
        if sizes is not None and sizes[0] != self.x.shape[1]:
            raise ValueError(
                f"`x` (shape {self.x.shape}) must have {sizes[0]} columns, as the "
                "network has inputs."
            )
        with np.errstate(all="ignore"):
            self.values = np.asarray(network.apply(self.params, self.x))
        self.sizes = self.x.shape[1], self.values.shape[1]
        self.output = _output(output, self.values.shape[1])
        columns = self.x.shape[1]
        if names is None:
            names = [f"x{i + 1}" for i in range(columns)]
        self.names = column_names(names, columns)

    def _check_rows(self) -> None:
        if len(self.x) != len(self.y) or len(self.y) < FEWEST:
            raise ValueError(
                f"`x` (shape {self.x.shape}) and `y` (shape {self.y.shape}) must have "
                f"as many rows as each other, at least {FEWEST}."
            )
        if np.ptp(self.y) == 0:
            raise ValueError(
                f"`y` (={self.y[0]} on all rows) must vary, or any formula explains it."
            )

    def error(self, values: np.ndarray) -> float:
        """The root of the mean squared error over the spread of the target."""
        with np.errstate(all="ignore"):
            error = np.sqrt(np.mean((values - self.y) ** 2)) / np.std(self.y)
        return float(error) if np.isfinite(error) else math.nan

    def formula(self, params: dict[str, np.ndarray]) -> Formula:
        """What the network computes with some parameters, on these rows."""
        with extras():
            import sympy
        if not all(np.isfinite(value).all() for value in params.values()):
            raise ValueError("weights that are NaN or infinite have no formula.")
        # SymPy sorts by name; these keep the order, and are right for any column.
        inner = [f"x{i:09d}" for i in range(self.x.shape[1])]
        symbols = [
            sympy.Symbol(name, real=True, **_assumption(column))
            for name, column in zip(inner, self.x.T, strict=True)
        ]
        expressions = self.network.expression(params, symbols)
        root = from_sympy(expressions[self.output], inner, self.x).root
        return Formula(root, self.names)


def _discrete(table: _Rows, tried: list[str]) -> Formula | None:
    """The network at the nearest weights at which it is exact, as a formula."""
    try:
        return table.formula(table.network.discretise(table.params))
    except ValueError as error:
        tried.append(f"rounded weights: {error}")
        return None


def _candidates(
    table: _Rows, discrete: Formula | None, tried: list[str]
) -> Iterator[tuple[str, Formula]]:
    """What the network may mean, the simplest first."""
    if discrete is not None:
        yield "rounded weights", discrete
        yield "rounded weights, outer constants fitted", _outer_freed(discrete)
        yield from _few("rounded weights, constants fitted", discrete, table, tried)
    for stage, params in _trained(table):
        try:
            formula = table.formula(params)
        except ValueError as error:
            tried.append(f"{stage}: {error}")
            continue
        yield from _few(f"{stage}, rounded one by one", formula, table, tried)
        break


def _outer_freed(formula: Formula) -> Formula:
    root = formula.root
    assert isinstance(root, Sum)
    free = tuple(Number(c.value) for c in root.coefficients)
    return Formula(Sum(free, root.terms), formula.names)


def _few(
    stage: str, formula: Formula, table: _Rows, tried: list[str]
) -> Iterator[tuple[str, Formula]]:
    """The formula with free constants, unless they are too many to mean anything."""
    free = formula.freed()
    count = sum(number.free for number in free.numbers)
    if count <= min(LARGEST, len(table.y) // 4):
        yield stage, free
    else:
        tried.append(f"{stage}: {count} constants are too many to fit")


def _trained(table: _Rows) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """The parameters as they are; where a gate is half open, with gates rounded."""
    yield "weights as trained", table.params
    try:
        rounded = table.network.discretise(table.params)
    except ValueError:
        return  # `_discrete` said why
    declared = table.network.parameters(*table.sizes)
    yield (
        "gates rounded, other weights as trained",
        {
            name: rounded[name]
            if declared[name].role == "gate"
            else np.where(rounded[name] == 0, 0.0, value)  # as behind a closed gate
            for name, value in table.params.items()
        },
    )


def _settled(judge: Judge) -> Candidate | None:
    """The best candidate, judged again as long as that makes it better.

    Terms that a fit did not reach the end with are not doubted; in the next they are.
    """
    for _ in range(ROUNDS):
        best = judge.best
        if best is None or not any(number.free for number in best.formula.numbers):
            break
        judge.consider(best.formula.freed().root, best.stage)
        if judge.best is best:
            break
    return judge.best


def _outcome(candidate: Candidate | None) -> str:
    if candidate is None:
        return "explains less than another, or nothing"
    return f"{candidate.formula}, error {candidate.training_error:.2g}"


def _reading(
    table: _Rows, discrete: Formula | None, best: Candidate | None, tried: list[str]
) -> Reading:
    before = table.error(table.values[:, table.output])
    reading = Reading(None, Verdict.NOT_FOUND, before, discrete, None, None, None, ())
    if discrete is not None:
        rounded = table.error(discrete.evaluate(table.x))
        reading = replace(reading, discrete_error=rounded)
    if best is not None:
        after = table.error(best.formula.evaluate(table.x))
        verdict = best.verdict
        if verdict is Verdict.WITHIN and not after <= WORSE * before:
            verdict = Verdict.NOT_FOUND
            tried.append(f"the formula explains less than the network ({before:.2g})")
        reading = replace(
            reading,
            formula=best.formula,
            verdict=verdict,
            formula_error=after,
            held_out_error=best.held_out_error,
        )
    return replace(reading, tried=tuple(tried))


def _output(output: int | None, outputs: int) -> int:
    if output is None and outputs == 1:
        return 0
    if output is None:
        raise ValueError(
            f"`output` (=None) must be given: the network has {outputs} outputs, and "
            "`y` is one of them."
        )
    check_whole("output", output, 0, outputs - 1)
    return output


def _assumption(column: np.ndarray) -> dict[str, bool]:
    """What SymPy may know of a column: the magnitude of a positive one is itself."""
    if (column > 0).all():
        return {"positive": True}
    return {"nonnegative": True} if (column >= 0).all() else {}
