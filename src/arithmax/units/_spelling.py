"""The names of units as papers and people spell them."""

import re
import unicodedata

from .._checks import choose
from ._unit import Unit

# Names that no spelling of a unit's name, class or title gives.
OTHERS = {
    "nac×": "nac-mul",
    "nac*": "nac-mul",
    "nac.": "nac-mul",
    "mnac": "nac-mul",
    "naclog": "nac-mul",
    "neuralaccumulator": "nac",
    "neuralarithmeticlogicunit": "nalu",
    "neuraladditionunit": "nau",
    "neuralmultiplicationunit": "nmu",
    "neuralpowerunit": "npu",
    "neuralreciprocalunit": "nru",
}


def plain_name(name: str) -> str:
    """A name without what people leave out: case, spaces, hyphens, raised signs."""
    return re.sub(r"[\s_/-]", "", unicodedata.normalize("NFKC", name).casefold())


def registered(argument: str, name: object, units: dict[str, type[Unit]]) -> str:
    """The name in the registry of a unit that is called by any of its names.

    Args:
        argument: what the name was given as, for messages.
        name: the name: `"nac-mul"`, `"NAC•"`, `"iNALU"`, `"StochasticNMU"`.
        units: the registry.
    """
    known = dict(OTHERS)
    for key, cls in units.items():
        for spelt in (key, cls.__name__, cls.title):
            known[plain_name(spelt)] = key
    if isinstance(name, str) and (found := known.get(plain_name(name))) in units:
        return found
    return choose(argument, name, units)
