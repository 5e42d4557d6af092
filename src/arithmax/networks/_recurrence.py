"""What every network over a sequence shares: one reader, one cell, any length."""

import math
from abc import ABC, abstractmethod
from typing import Any

from .._arrays import Array, Namespace, Params, move_axis, namespace
from .._checks import check_fields, plain, shown
from .._inputs import shape_of
from .._network import Draws, Network
from .._parameters import Parameter, of_part, prefixed
from ..units._symbolic import Symbols


class Recurrence(Network, ABC):
    """A network over sequences: each step is read, and a cell accumulates readings.

    An input is `(T, *shape of one step)`: T steps, of k numbers each or of what the
    reader reads. Parameters are those of the reader, `reader.…`, and of the cell; none
    depends on T, so that a network trained on T = 2 computes T = 20. With `every_step`
    there are T·s outputs, and number t·s + j is output j after step t; without it there
    are the s outputs after the last step.

    Final classes have the fields `reader`, `readings` and `every_step`.
    """

    reader: Network | None
    """What each step is read by, all alike; None if the steps are numbers."""

    readings: int
    """How many outputs the reader has."""

    every_step: bool
    """Whether the outputs of all steps are given, or those of the last."""

    # What each class writes.

    @property
    @abstractmethod
    def parts(self) -> dict[str, Network]:
        """The networks that it is made of, by the prefix of their parameters."""

    @abstractmethod
    def cell_parameters(self, inputs: int, answers: int) -> dict[str, Parameter]:
        """The parameters of the cell, for so many numbers per step and outputs."""

    @abstractmethod
    def cell_features(self, params: Params) -> tuple[int, int] | None:
        """(numbers per step, outputs per step), read off the parameters."""

    @abstractmethod
    def states(
        self, params: Params, z: Array, xp: Namespace, *, training: bool
    ) -> Array:
        """What the cell remembers after each step, `[T, size, *batch]`."""

    @abstractmethod
    def answers(self, params: Params, states: Array, xp: Namespace) -> Array:
        """The outputs after each step, `[T, s, *batch]`."""

    @abstractmethod
    def last_inputs(
        self, params: Params, z: Array, states: Array, xp: Namespace
    ) -> Array:
        """What the last unit is given at all steps side by side, `[in, T, *batch]`."""

    # What they share.

    def check_recurrence(self, **bounds: Any) -> None:
        """The fields must be what their annotations say, and fit each other."""
        check_fields(self, {"readings": (1, None), **bounds})
        if self.reader is not None:
            check_quiet("reader", self.reader)
        elif self.readings != 1:
            raise ValueError(
                f"`readings` (={self.readings}) must be left at 1 where there is no "
                "`reader`: the cell is given all numbers of a step."
            )

    @property
    def input_axes(self) -> int:
        return 1 + self._step_axes

    @property
    def _step_axes(self) -> int:
        return 1 if self.reader is None else self.reader.input_axes

    @property
    def free_axes(self) -> int:
        return 1

    def parameters(self, in_features: Any, out_features: int) -> dict[str, Parameter]:
        step, answers = self._sizes(in_features, out_features)
        if self.reader is None:
            return self.cell_parameters(step[0], answers)
        read = self.reader.parameters(_in_features(step), self.readings)
        return prefixed("reader", read) | self.cell_parameters(self.readings, answers)

    def _sizes(
        self, in_features: Any, out_features: int
    ) -> tuple[tuple[int, ...], int]:
        """The shape of one step, and how many outputs there are after it."""
        sizes, outputs = plain(in_features), plain(out_features)
        whole = isinstance(sizes, tuple) and all(type(n) is int for n in sizes)
        if not whole or len(sizes) != self.input_axes or min(sizes) < 1:
            parts = "(steps, numbers)" if self.input_axes == 2 else "(steps, *step)"
            raise ValueError(
                f"`in_features` (={shown(in_features)}) must be the shape {parts} of a "
                f"sequence, with {self.input_axes} sizes of at least 1, for {self}."
            )
        times = sizes[0] if self.every_step else 1
        if type(outputs) is not int or outputs < 1 or outputs % times:
            raise ValueError(
                f"`out_features` (={shown(out_features)}) must be a multiple of the "
                f"{times} steps in `in_features` (={sizes}), since there are outputs "
                "after every step. Take `every_step=False` for those of the last."
            )
        return sizes[1:], outputs // times

    def features(self, params: Params) -> tuple[Any, int] | None:
        """Those of a sequence of one step, since the parameters are for any."""
        cell = self.cell_features(params)
        if cell is None or self.reader is None:
            return cell and ((1, cell[0]), cell[1])
        read = self.reader.features(of_part("reader", params))
        return read and ((1, *shape_of(read[0])), cell[1])

    def read(
        self, params: Params, x: Array, xp: Namespace, *, training: bool = False
    ) -> Array:
        """What the reader reads off single steps.

        Args:
            params: the parameters of the whole network.
            x: the steps `[*shape of one step, *batch]`.
            xp: the array namespace.
            training: whether the network is being trained.

        Returns:
            `[readings, *batch]`; the steps themselves where there is no reader.
        """
        if self.reader is None:
            return x
        own = of_part("reader", params)
        return self.reader.compute(own, x, training=training, xp=xp)

    def accumulate(
        self, params: Params, z: Array, xp: Namespace, *, training: bool = False
    ) -> Array:
        """What the cell makes of the readings of all steps.

        Args:
            params: the parameters of the whole network.
            z: the readings `[T, readings, *batch]`.
            xp: the array namespace.
            training: whether the network is being trained.

        Returns:
            The outputs `[T·s, *batch]`, or `[s, *batch]` without `every_step`.
        """
        states = self.states(params, z, xp, training=training)
        return self._outputs(params, states, xp)

    def _outputs(self, params: Params, states: Array, xp: Namespace) -> Array:
        kept = states if self.every_step else states[-1:]
        y = self.answers(params, kept, xp)
        return y.reshape(y.shape[0] * y.shape[1], *y.shape[2:])

    def read_all(
        self, params: Params, x: Array, xp: Namespace, *, training: bool = False
    ) -> Array:
        """The readings `[T, readings, *batch]` of sequences, all at once."""
        if self.reader is None:
            return x
        axes = self._step_axes
        steps, shape, batch = x.shape[0], x.shape[1 : 1 + axes], x.shape[1 + axes :]
        single = move_axis(x, 0, axes, xp).reshape(*shape, steps * math.prod(batch))
        z = self.read(params, single, xp, training=training)
        return move_axis(z.reshape(z.shape[0], steps, *batch), 1, 0, xp)

    def compute(
        self,
        params: Params,
        x: Any,
        *,
        training: bool = False,
        noise: Draws | None = None,
        xp: Namespace = None,
    ) -> Any:
        xp = xp or namespace(x)
        z = self.read_all(params, x, xp, training=training)
        return self.accumulate(params, z, xp, training=training)

    def observe(
        self,
        params: Params,
        x: Any,
        *,
        training: bool = False,
        noise: Draws | None = None,
        xp: Namespace = None,
    ) -> tuple[Any, Any]:
        """The outputs, and the inputs `[in, T, *batch]` of the last unit."""
        xp = xp or namespace(x)
        z = self.read_all(params, x, xp, training=training)
        states = self.states(params, z, xp, training=training)
        inputs = self.last_inputs(params, z, states, xp)
        return self._outputs(params, states, xp), inputs

    def penalty(self, params: Params) -> Any:
        """That of the unit, and of the reader where it has one."""
        own = (p.penalty(of_part(name, params)) for name, p in self.parts.items())
        return sum(own, start=Network.penalty(self, params))

    def project(self, params: Params) -> Params:
        """The constraints of the unit and of the reader."""
        projected = dict(params)
        for name, part in self.parts.items():
            projected |= prefixed(name, part.project(of_part(name, params)))
        return projected

    def check_symbols(self, symbols: Symbols, numbers: int) -> None:
        """Symbols must be those of whole steps, first to last."""
        if not symbols or len(symbols) % numbers:
            raise ValueError(
                f"`symbols` (={shown(symbols)}) must be {numbers} for each step of a "
                "sequence, first step to last."
            )


def parts_of(**parts: Network | None) -> dict[str, Network]:
    """The networks by name, without those that there are not."""
    return {name: part for name, part in parts.items() if part is not None}


def _in_features(step: tuple[int, ...]) -> Any:
    """The `in_features` of a network over inputs of this shape."""
    return step[0] if len(step) == 1 else step


def check_quiet(name: str, network: Any) -> None:
    """`network` must be one that needs no random numbers in training."""
    if not isinstance(network, Network):
        raise TypeError(
            f"`{name}` (={shown(network)}) must be a network or a unit, such as "
            "`CNN()` or `NMU()`."
        )
    if network.noise(network.smallest[0]):
        raise ValueError(
            f"`{name}` (={network}) needs noise in training, and in a recurrence it "
            "would need it afresh for each step, for which there is no formula in the "
            "papers. Use `NMU()`."
        )


def check_once(name: str, network: Network) -> None:
    """A recurrence inside another network must give the outputs of its last step.

    Those of all steps are as many as the sequence is long, and the parameters of what
    follows are made for a fixed number of them.
    """
    if isinstance(network, Recurrence) and network.every_step:
        raise ValueError(
            f"`{name}` (={shown(network)}) gives the outputs of every step, as many "
            "as a sequence is long. Take `every_step=False`."
        )
