"""Programs that were traced for arrays of any shape, run on arrays that are filled up.

What a loop does not change is computed before it. What a loop adds up is added up term
by term, and the sum over the terms is taken once, after it: a sum over numbers that lie
in several threads is what costs most in a kernel.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer
from jax.extend.core import ClosedJaxpr

from .._arrays import Array
from ._filled import Filled, Unsupported, Value, cleaned, filled_up, sides, traced_shape
from ._filled_rules import RULES, split
from ._filled_sums import TERMS, Terms
from ._flat import TracedStep, TracedVariable, inlined, is_fixed, leading_to

KEPT = 512  # the most elements of an array that is kept for a loop
ADDED = 2048  # the most terms of a sum that are kept until the end of a loop
# What is linear in one argument, all others being constant.
LINEAR = ("broadcast_in_dim", "convert_element_type", "copy", "div", "mul", "neg")
LINEAR += ("reshape", "squeeze", "transpose")


class Prepared:
    """A program, split into what depends on some arguments alone and all else.

    Args:
        program: the program, traced for arrays that are not filled up.
        first: its first arguments, filled up with zeros; the others come later.
    """

    def __init__(self, program: ClosedJaxpr, first: Sequence[Array] = ()) -> None:
        names = [TracedVariable(var.aval) for var in program.jaxpr.invars]
        steps, self.results = inlined(program, names)
        self.given = dict(zip(names, map(Value, map(jnp.asarray, first)), strict=False))
        self.later = names[len(first) :]
        self.steps: list[TracedStep] = []  # what comes later
        self.before: list[TracedStep] = []  # what depends on the first arguments alone
        self.free: list[TracedStep] = []  # what depends on nothing
        self.known = {*self.given}
        for step in leading_to(self.results, steps):
            self._place(step)

    def _place(self, step: TracedStep) -> None:
        named = [var for var in step.invars if not is_fixed(var)]
        size = sum(math.prod(sides(traced_shape(var))) for var in step.outvars)
        if not all(map(self.is_constant, named)) or size > KEPT:
            self.steps.append(step)
            return
        self.before.append(step)
        self.known.update(step.outvars)
        nothing = {var for free in self.free for var in free.outvars}
        if all(var in nothing for var in named):
            # Cheaper to compute again than to keep.
            self.free.append(step)
            self.steps.append(step)

    def is_constant(self, var: Any) -> bool:
        """Whether a variable depends on what is given alone, or is a number."""
        return is_fixed(var) or var in self.known

    def constants(self, steps: Sequence[TracedStep]) -> dict[Any, Value]:
        """What is given, and what some steps need of that which depends on it alone."""
        known = dict(self.given)
        wanted = [*self.results, *(var for step in steps for var in step.invars)]
        nothing = {var for free in self.free for var in free.outvars}
        needed = [var for var in wanted if is_fixed(var) or var not in nothing]
        for step in leading_to(needed, self.before):
            take(step, known)
        return known

    def called(self) -> Callable[[Sequence[Array]], list[Array]]:
        """The program as a function of the arguments that come later.

        They are filled up with zeros, as are the results.
        """
        constants = self.constants(self.steps)

        def call(given: Sequence[Array]) -> list[Array]:
            known = constants | dict(zip(self.later, map(Value, given), strict=True))
            for step in self.steps:
                take(step, known)
            return [whole_array(var, known) for var in self.results]

        return call


def known_value(var: Any, known: dict[Any, Value]) -> Value:
    """The value of a variable, or of a number or an array in its place."""
    if not is_fixed(var):
        return known[var]
    array = filled_up(jnp.asarray(var.val, var.aval.dtype))
    infinite = _is_known(var) and not np.isfinite(var.val)
    return Value(array, Filled.UNKNOWN if infinite else Filled.ZERO)


def _is_known(var: Any) -> bool:
    """Whether this is a number that can be looked at."""
    return not isinstance(var.val, Tracer) and np.ndim(var.val) == 0


def given_to(step: Any, known: dict[Any, Value]) -> list[Value]:
    """The arguments of a step."""
    return [known_value(var, known) for var in step.invars]


def whole_array(var: Any, known: dict[Any, Value]) -> Array:
    """The value of a variable, filled up with zeros."""
    return cleaned(known_value(var, known), traced_shape(var)).array


def take(step: Any, known: dict[Any, Value]) -> None:
    """Add what one step gives."""
    results = _results(step, given_to(step, known))
    known |= zip(step.outvars, results, strict=True)


def _results(step: Any, values: list[Value]) -> list[Value]:
    name = step.primitive.name
    if name == "optimization_barrier":  # inputs, which are used again and again
        pairs = zip(values, step.invars, strict=True)
        return [cleaned(value, traced_shape(var)) for value, var in pairs]
    if name == "scan":
        return _loop(step, values)
    if name == "split":
        return split(step, values[0])
    if (rule := RULES.get(name)) is None:
        raise Unsupported(f"there is no rule for `{name}`")
    value = rule(step, values)
    shape = traced_shape(step.outvars[0])
    return [value if sides(shape) != shape else Value(value.array, _lone(values))]


def _lone(values: list[Value]) -> Filled:
    """What there is in no filled places; numbers that are not finite spread later."""
    numbers = (value.filled for value in values if not value.array.ndim)
    return Filled(max(numbers, default=Filled.ZERO))


def loop_sizes(params: Mapping[str, Any]) -> tuple[int, int]:
    """How many arguments of a loop are constant, and how many it carries."""
    if "num_carry" in params:
        return params["num_consts"], params["num_carry"]
    constant, carried, _ = params["ft_in"].unpack()  # since JAX 0.11
    return len(constant), len(carried)


def _loop(step: Any, values: list[Value]) -> list[Value]:
    """A loop whose state is filled up with zeros after each round."""
    program = step.params["jaxpr"]
    fixed, moved = loop_sizes(step.params)
    if len(step.invars) != fixed + moved or len(step.outvars) != moved:
        raise Unsupported("a loop reads or writes the rows of an array")
    pairs = zip(values, step.invars, strict=True)
    arrays = [cleaned(value, traced_shape(var)).array for value, var in pairs]
    sums, start = LoopSums(Prepared(program, arrays[:fixed])), tuple(arrays[fixed:])

    def advance(_, carried):
        return sums.advance(*carried)

    carried = start, sums.zeros(start)
    state, totals = lax.fori_loop(0, step.params["length"], advance, carried)
    return [Value(array) for array in sums.finished(state, totals)]


class LoopSums:
    """Which results of a loop are sums, and what is left to do for them after it.

    A result is one if it is what it was before plus something that is linear in sums
    over other axes, such as a slope that is a sum over samples.

    Args:
        body: one round of the loop.
    """

    def __init__(self, body: Prepared) -> None:
        self.body = body
        self.made = {var: step for step in body.steps for var in step.outvars}
        named = [var for step in body.steps for var in step.invars]
        named += [*body.results, *body.later]
        self.uses = Counter(var for var in named if not is_fixed(var))
        self.linear: dict[Any, set[Any]] = {}  # a variable, and the sums it is made of
        for step in body.steps:
            self._look(step)
        both = zip(body.later, body.results, strict=True)
        added = {i: self._added(*pair) for i, pair in enumerate(both)}
        self.added = {i: var for i, var in added.items() if var is not None}
        wanted = {v for var in self.added.values() for v in self.linear[var]}
        self.roots = [self.made[var] for var in self.made if var in wanted]
        outside = [var for i, var in enumerate(body.results) if i not in self.added]
        outside += [var for step in self.roots for var in step.invars]
        self.inside = leading_to(outside, body.steps)
        self.constants = body.constants([*self.inside, *self.roots])
        self.terms: list[Terms] = []

    def _look(self, step: Any) -> None:
        """Whether a step is a sum, or linear in sums."""
        name, out = step.primitive.name, step.outvars[0]
        parts = [self._of(var) for var in step.invars if self._of(var)]
        others = [var for var in step.invars if not self._of(var)]
        if name in ("add", "add_any", "sub"):
            linear = not others
        elif name == "select_n":
            chosen, *cases = others or [None]
            linear = chosen is step.invars[0] and self.body.is_constant(chosen)
            linear = linear and all(map(self._is_zero, cases))
        else:
            linear = name in LINEAR and len(parts) == 1
            linear = linear and all(map(self.body.is_constant, others))
            linear = linear and (name != "div" or bool(self._of(step.invars[0])))
        if not jnp.issubdtype(out.aval.dtype, jnp.floating):
            return  # whole numbers are rounded in each round
        if name in TERMS:
            self.linear[out] = {out} if self._are_few(step) else set()
        elif parts and linear:
            self.linear[out] = set().union(*parts)

    def _of(self, var: Any) -> set[Any]:
        return set() if is_fixed(var) else self.linear.get(var, set())

    def _is_zero(self, var: Any) -> bool:
        if is_fixed(var):
            return _is_known(var) and bool(var.val == 0)
        step = self.made.get(var)
        if step is None or step.primitive.name != "broadcast_in_dim":
            return False
        return is_fixed(step.invars[0]) and self._is_zero(step.invars[0])

    def _are_few(self, step: Any) -> bool:
        """Whether the terms of a sum are so few that they can be kept."""
        shape, params = sides(traced_shape(step.invars[0])), step.params
        axes = params["axes"] if "axes" in params else params["dimension_numbers"][0][0]
        added = math.prod(shape[axis] for axis in axes)
        return added * math.prod(sides(traced_shape(step.outvars[0]))) <= ADDED

    def _added(self, before: Any, after: Any) -> Any:
        """What is added to a result in each round, if it is a sum."""
        step = None if is_fixed(after) else self.made.get(after)
        if step is None or step.primitive.name != "add":
            return None
        # Nobody else may look at it before the end.
        if (self.uses[before], self.uses[after]) != (2, 1) or before is after:
            return None
        others = [var for var in step.invars if var is not before]
        return others[0] if len(others) == 1 and self._of(others[0]) else None

    def advance(self, state: tuple, totals: tuple) -> tuple[tuple, tuple]:
        """The state and the totals of all terms after one more round."""
        later = zip(self.body.later, map(Value, state), strict=True)
        known = self.constants | dict(later)
        for step in self.inside:
            take(step, known)
        new = [
            array if i in self.added else whole_array(var, known)
            for i, (array, var) in enumerate(zip(state, self.body.results, strict=True))
        ]
        self.terms = [
            TERMS[step.primitive.name](step, given_to(step, known))
            for step in self.roots
        ]
        pairs = zip(totals, self.terms, strict=True)
        return tuple(new), tuple(total + terms.array for total, terms in pairs)

    def zeros(self, state: tuple) -> tuple:
        """The totals before the first round."""

        def terms(state):
            nothing = (jnp.zeros(()),) * len(self.roots)
            return self.advance(state, nothing)[1]

        shapes = jax.eval_shape(terms, state)
        return tuple(jnp.zeros(shape.shape, shape.dtype) for shape in shapes)

    def finished(self, state: tuple, totals: tuple) -> list[Array]:
        """The results of the loop: sums are taken, and what is linear in them."""
        sums = {}
        for step, terms, total in zip(self.roots, self.terms, totals, strict=True):
            (var,) = step.outvars
            sums[var] = terms._replace(array=total).total(var.aval.dtype)
        others = [step for step in self.body.steps if step not in self.roots]
        left = leading_to(set(self.added.values()) - sums.keys(), others)
        known = self.body.constants(left) | sums
        known |= {self.body.later[i]: Value(state[i]) for i in self.added}
        results = list(state)
        for step in [*left, *(self.made[self.body.results[i]] for i in self.added)]:
            take(step, known)
        for i in self.added:
            results[i] = whole_array(self.body.results[i], known)
        return results
