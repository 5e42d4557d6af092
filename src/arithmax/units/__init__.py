"""The published units of arithmetic, as pure functions of their parameters."""

from importlib import import_module

from .._arrays import Array as Array
from .._arrays import Namespace as Namespace
from .._arrays import Params as Params
from .._arrays import absolute as absolute
from .._arrays import align as align
from .._arrays import clip as clip
from .._arrays import contract as contract
from .._arrays import namespace as namespace
from .._arrays import product as product
from .._arrays import sigmoid as sigmoid
from .._arrays import spread as spread
from .._hazards import Hazard as Hazard
from .._parameters import Beta as Beta
from .._parameters import Constant as Constant
from .._parameters import Distribution as Distribution
from .._parameters import Identity as Identity
from .._parameters import Normal as Normal
from .._parameters import Orthogonal as Orthogonal
from .._parameters import Parameter as Parameter
from .._parameters import Uniform as Uniform
from .._parameters import matrix as matrix
from ._division import NMRU as NMRU
from ._division import NRU as NRU
from ._division import GatedSignNMRU as GatedSignNMRU
from ._gated import GatedNAUNMU as GatedNAUNMU
from ._hill_space import HillSpace as HillSpace
from ._inalu import INALU as INALU
from ._linear import Dense as Dense
from ._linear import Linear as Linear
from ._mcfc import MCFC as MCFC
from ._mcfc import MulMCFC as MulMCFC
from ._nac import NAC as NAC
from ._nac import MultiplicativeNAC as MultiplicativeNAC
from ._nalu import GNALU as GNALU
from ._nalu import NALU as NALU
from ._nalu_sinh import NALUSinh as NALUSinh
from ._nau import NAU as NAU
from ._nmu import NMU as NMU
from ._nmu import StochasticNMU as StochasticNMU
from ._npu import NPU as NPU
from ._npu import NaiveNPU as NaiveNPU
from ._npu import RealNaiveNPU as RealNaiveNPU
from ._npu import RealNPU as RealNPU
from ._operations import BINARY as BINARY
from ._operations import NONZERO as NONZERO
from ._operations import OPERATIONS as OPERATIONS
from ._operations import POSITIVE as POSITIVE
from ._operations import REALS as REALS
from ._operations import TERNARY as TERNARY
from ._operations import Domain as Domain
from ._operations import Exactness as Exactness
from ._operations import Operation as Operation
from ._registry import REGISTRY
from ._snalu import SNALU as SNALU
from ._spelling import plain_name as plain_name
from ._spelling import registered
from ._symbolic import power_product as power_product
from ._symbolic import rows as rows
from ._symbolic import weighted_sum as weighted_sum
from ._unit import Inputs as Inputs
from ._unit import Outputs as Outputs
from ._unit import Unit as Unit
from ._unit import nearest as nearest


def _load(home: str) -> type[Unit]:
    file, cls = home.split(".")
    return getattr(import_module(f".{file}", __name__), cls)


UNITS: dict[str, type[Unit]] = {name: _load(home) for name, home in REGISTRY.items()}
"""The units by the names that the command line uses."""

# A unit that is new in the registry is public without a line above.
globals().update({cls.__name__: cls for cls in UNITS.values()})


def unit_name(argument: str, name: object) -> str:
    """The name in `UNITS` of a unit, however it is spelt; an error if there is none.

    Args:
        argument: what the name was given as, for the message.
        name: the name.

    Examples:
        >>> from arithmax.units import unit_name
        >>> [unit_name("unit", name) for name in ("iNALU", "NAC+", "sNMU", "NAC•")]
        ['inalu', 'nac', 'snmu', 'nac-mul']
    """
    return registered(argument, name, UNITS)


def unit(name: str, **options: object) -> Unit:
    """The unit of that name, with its options.

    Args:
        name: its name, as the command line or the papers spell it.
        options: its options.

    Examples:
        >>> from arithmax.units import unit
        >>> unit("nalu", tied=False)
        NALU(tied=False, gate_bias=False, two_gates=False, eps=1e-07)
    """
    return UNITS[unit_name("name", name)](**options)


def __getattr__(name: str) -> type[Unit]:
    if not name.startswith("_"):
        try:
            return UNITS[unit_name("name", name)]
        except ValueError:
            pass
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
