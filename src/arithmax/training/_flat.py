"""The operations of a program that JAX has traced, one after the other."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from jax.extend.core import ClosedJaxpr, Literal

CALLS = ("jaxpr", "call_jaxpr", "fun_jaxpr")  # how operations name what they call


class TracedVariable:
    """A variable of a program."""

    def __init__(self, aval: Any) -> None:
        self.aval = aval


@dataclass(frozen=True, eq=False)
class TracedStep:
    """One operation of a program, and the variables that it has to do with."""

    primitive: Any
    params: dict[str, Any]
    invars: list[Any]
    outvars: list[Any]


def inlined(
    program: ClosedJaxpr, given: Sequence[Any]
) -> tuple[list[TracedStep], list[Any]]:
    """The operations of a program and of all that it calls, and its results.

    Args:
        program: the program.
        given: the variables or numbers that it is called with.
    """
    jaxpr = program.jaxpr
    names = dict(zip(jaxpr.invars, given, strict=True))
    names |= {
        var: Literal(value, var.aval)
        for var, value in zip(jaxpr.constvars, program.consts, strict=True)
    }

    def name(var):
        return var if is_fixed(var) else names[var]

    steps: list[TracedStep] = []
    for step in jaxpr.eqns:
        invars = list(map(name, step.invars))
        if (called := _called(step)) is not None:
            inner, results = inlined(called, invars)
            steps += inner
        else:
            results = [TracedVariable(var.aval) for var in step.outvars]
            steps.append(TracedStep(step.primitive, step.params, invars, results))
        names |= zip(step.outvars, results, strict=True)
    return steps, list(map(name, jaxpr.outvars))


def _called(step: Any) -> ClosedJaxpr | None:
    """The program that an operation calls with all its arguments, if it does."""
    found = [step.params[name] for name in CALLS if name in step.params]
    if not found or step.primitive.name == "scan":
        return None
    # Before JAX 0.11 there were programs that do not have their constants with them.
    closed = hasattr(found[0], "consts")
    program = found[0] if closed else ClosedJaxpr(found[0], ())
    # Others call theirs with each element, such as `reduce`.
    pairs = (step.invars, program.jaxpr.invars), (step.outvars, program.jaxpr.outvars)
    alike = [_shapes(a) == _shapes(b) for a, b in pairs]
    return program if all(alike) else None


def _shapes(variables: Sequence[Any]) -> list[Any]:
    return [getattr(var.aval, "shape", None) for var in variables]


def operations(program: ClosedJaxpr) -> list[TracedStep]:
    """The operations of a program and of all that it calls."""
    return inlined(program, program.jaxpr.invars)[0]


def is_fixed(var: Any) -> bool:
    """Whether this is a number in place of a variable."""
    return isinstance(var, Literal)


def leading_to(wanted: Collection[Any], steps: Sequence[Any]) -> list[Any]:
    """The steps that some variables depend on."""
    needed = {var for var in wanted if not is_fixed(var)}
    kept = []
    for step in reversed(steps):
        if needed.intersection(step.outvars):
            kept.append(step)
            needed.update(var for var in step.invars if not is_fixed(var))
    return kept[::-1]
