"""What decides whether a unit succeeds: where it starts, and how much it must find."""

from ._basins import KEYS as KEYS
from ._basins import NAMES as NAMES
from ._basins import Key as Key
from ._basins import basin as basin
from ._basins import chosen as chosen
from ._runs import arms as arms
