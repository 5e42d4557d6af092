"""A unit that accumulates: its output is one of its inputs at the next step."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from .._arrays import Array, Namespace, Params, full_of, move_axis, scan_steps
from .._checks import shown
from .._hazards import Hazard
from .._inputs import shape_of
from .._network import Network
from .._parameters import Parameter, of_part, prefixed
from ..units._operations import OPERATIONS, Domain
from ..units._symbolic import Expression, Symbols, number
from ._recurrence import Recurrence, check_quiet, parts_of


@dataclass(frozen=True)
class Recurrent(Recurrence):
    r"""A unit over a sequence, which is given each step and its last output.

    $$ h_t = f([z_t, h_{t-1}]) \qquad h_0 = start $$

    $f$ is `unit`, and $z_t$ is what `reader` reads off step t, or the numbers of the
    step. A unit with the weights 1 multiplies or adds up the whole sequence, however
    long it is. Parameters of the unit are named `cell.W`, those of the reader
    `reader.…`.

    Args:
        unit: the unit, or another network with a list of numbers as its input.
        reader: a network that each step is read by; None if the steps are numbers.
        readings: how many numbers the reader gives.
        start: what $h_0$ is; None for 1 if the unit can be exact on products alone
            (NMU, NAC•), else 0.
        every_step: whether there are outputs after every step, or after the last.

    Examples:
        >>> import numpy as np
        >>> from arithmax import NMU
        >>> from arithmax.networks import Recurrent
        >>> net, params = Recurrent(NMU()), {"cell.W": np.array([[1.0, 1.0]])}
        >>> net.apply(params, np.array([[2.0], [3.0], [-4.0]]))     # three steps
        array([  2.,   6., -24.])

    Reference:
        A. Madsen and A. R. Johansen, "Neural Arithmetic Units", ICLR 2020.
    """

    title: ClassVar[str] = "Recurrent"
    unit: Network
    reader: Network | None = None
    readings: int = 1
    start: float | None = None
    every_step: bool = True

    def __post_init__(self) -> None:
        self.check_recurrence(start=(None, None))
        check_quiet("unit", self.unit)
        if self.unit.input_axes != 1:
            raise ValueError(
                f"`unit` (={shown(self.unit)}) must have a list of numbers as its "
                f"input, but has {self.unit.input_axes} axes. Give it as `reader`."
            )

    @property
    def first(self) -> float:
        """What h₀ is: `start`, or what suits the unit."""
        if self.start is not None:
            return self.start
        paths = {OPERATIONS[name].path for name in self.unit.operations}
        return 1.0 if paths == {"product"} else 0.0

    @property
    def parts(self) -> dict[str, Network]:
        return parts_of(reader=self.reader, cell=self.unit)

    @property
    def smallest(self) -> tuple[Any, int]:
        inputs, answers = self.unit.smallest
        if self.reader is None:
            return (1, inputs - answers if inputs > answers else inputs), answers
        return (1, *shape_of(self.reader.smallest[0])), answers

    def cell_parameters(self, inputs: int, answers: int) -> dict[str, Parameter]:
        return prefixed("cell", self.unit.parameters(inputs + answers, answers))

    def cell_features(self, params: Params) -> tuple[int, int] | None:
        sizes = self.unit.features(of_part("cell", params))
        return sizes and (sizes[0] - sizes[1], sizes[1])

    def _answers(self, cell: Params) -> int:
        """How many outputs the unit has."""
        sizes = self.unit.features(cell)
        if sizes is None and cell:
            raise ValueError(
                f"`unit` (={shown(self.unit)}) must tell the sizes of its parameters. "
                "Write its method `features`."
            )
        return (sizes or self.unit.smallest)[1]

    def _start(self, cell: Params, z: Array, xp: Namespace) -> Array:
        """h₀ [s, *batch], in the format that the steps compute in."""
        shape = (self._answers(cell), *z.shape[2:])
        return full_of(shape, self.first, (z, *cell.values()), xp)

    def states(
        self, params: Params, z: Array, xp: Namespace, *, training: bool
    ) -> Array:
        cell = of_part("cell", params)

        def step(h: Array, z: Array) -> tuple[Array, Array]:
            x = xp.concat([z, h])
            h = self.unit.compute(cell, x, training=training, xp=xp)
            return h, h

        return scan_steps(step, self._start(cell, z, xp), z, xp)[1]

    def answers(self, params: Params, states: Array, xp: Namespace) -> Array:
        return states

    def _inputs(self, params: Params, z: Array, states: Array, xp: Namespace) -> Array:
        """What the unit is given at all steps, `[in, T, *batch]`."""
        first = self._start(of_part("cell", params), z, xp)[None]
        before = xp.concat([first, states[:-1]])
        return move_axis(xp.concat([z, before], axis=1), 1, 0, xp)

    def last_inputs(
        self, params: Params, z: Array, states: Array, xp: Namespace
    ) -> Array:
        x = self._inputs(params, z, states, xp)
        return self.unit.observe(of_part("cell", params), x, xp=xp)[1]

    # What the unit has, the recurrence has.

    def weights(self, params: Params) -> Params:
        """Those of the unit; the reader's are not meant to be whole numbers."""
        return prefixed("cell", self.unit.weights(of_part("cell", params)))

    def discretise(self, params: Params) -> Params:
        """The nearest parameters at which the unit is exact; the reader stays."""
        return {
            **params,
            **prefixed("cell", self.unit.discretise(of_part("cell", params))),
        }

    @property
    def sparse(self) -> bool:
        return self.unit.sparse

    @property
    def operations(self) -> dict[str, Domain]:
        return self.unit.operations

    @property
    def last(self) -> Network:
        return self.unit.last

    def layers(self, params: Params) -> Iterable[tuple[Network, Params]]:
        return self.unit.layers(of_part("cell", params))

    def expression(self, params: Params, symbols: Symbols) -> list[Expression]:
        """What the unit computes of a sequence, whose readings are the symbols."""
        cell = of_part("cell", params)
        numbers = self._numbers(params)
        self.check_symbols(symbols, numbers)
        h = [number(self.first)] * self._answers(cell)
        found = []
        for t in range(0, len(symbols), numbers):
            h = self.unit.expression(cell, [*symbols[t : t + numbers], *h])
            found.append(h)
        return [e for h in found for e in h] if self.every_step else h

    def _numbers(self, params: Params) -> int:
        """How many numbers the unit is given at each step, beside its last output."""
        if self.reader is not None:
            return self.readings
        cell = self.cell_features(params)
        return self.smallest[0][1] if cell is None else cell[0]

    def hazards(self, params: Params, x: Any, xp: Namespace) -> dict[Hazard, Any]:
        """The steps at which the unit is given a number that it gets wrong."""
        cell = of_part("cell", params)
        z = self.read_all(params, x, xp)
        states = self.states(params, z, xp, training=False)
        given = self._inputs(params, z, states, xp)
        met = self.unit.hazards(cell, given.reshape(given.shape[0], -1), xp)
        return {
            hazard: self._at_steps(where.reshape(given.shape), x, xp)
            for hazard, where in met.items()
        }

    def _at_steps(self, where: Array, x: Array, xp: Namespace) -> Array:
        """Which entries of `x` belong to inputs of the unit, [in, T, *batch].

        What is wrong with the last output, or with a reading, is said of the whole step
        at which the unit is given it.
        """
        if self.reader is not None:
            whole = xp.any(where, axis=0)
            ones = (1,) * (x.ndim - whole.ndim)
            spread = whole.reshape(whole.shape[0], *ones, *whole.shape[1:])
            return xp.broadcast_to(spread, x.shape)
        numbers = x.shape[1]
        met = where[:numbers] | xp.any(where[numbers:], axis=0)[None]
        return move_axis(met, 0, 1, xp)
