"""An option that bears the name of a method of the contract.

The literature calls both the choice and the thing chosen by one word: a NAU has a
`penalty`, which is "linear" or "squared"; a NAC• has `weights`, which are "sigmoid" or
"clipped". So `NAU(penalty="squared").penalty` is a string, as every option is, and it
can be called with parameters, as the contract asks of every unit.
"""

from collections.abc import Callable
from typing import Any

from ._checks import choose


class Choice(str):
    """A string that can be called, and the descriptor of the field that holds it.

    Written as the default of a dataclass field, it stores the plain string that the
    constructor is given and reads it back as a `Choice` bound to the unit.
    """

    _value: str | None
    _choices: tuple[str | None, ...]
    _method: Callable[[Any, Any], Any]
    _unit: Any
    _field: str

    def __new__(
        cls,
        value: Any,
        choices: tuple[str | None, ...],
        method: Callable[[Any, Any], Any],
        unit: Any = None,
    ) -> "Choice":
        self = super().__new__(cls, value)
        self._value, self._choices, self._method = value, choices, method
        self._unit = unit
        return self

    def __set_name__(self, owner: type, name: str) -> None:
        self._field = name

    def __set__(self, unit: Any, value: str | None) -> None:
        value = value._value if isinstance(value, Choice) else value
        unit.__dict__[self._field] = choose(self._field, value, self._choices)

    def __get__(self, unit: Any, owner: type | None = None) -> "Choice":
        if unit is None:
            return self
        return Choice(unit.__dict__[self._field], self._choices, self._method, unit)

    def __call__(self, params: dict[str, Any]) -> Any:
        return self._method(self._unit, params)

    def __repr__(self) -> str:
        return repr(self._value)

    def __bool__(self) -> bool:
        return self._value is not None

    def __reduce__(self) -> Any:
        return _plain, (self._value,)  # a copy is the plain option


def _plain(value: str | None) -> str | None:
    return value
