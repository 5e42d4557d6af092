"""The messages of `arithmax._checks`, by the address that callers still use."""

from .._checks import WORD as WORD
from .._checks import Bounds as Bounds
from .._checks import check_entries as check_entries
from .._checks import check_fields as check_fields
from .._checks import check_number as check_number
from .._checks import check_options as check_options
from .._checks import check_whole as check_whole
from .._checks import choose as choose
from .._checks import plain as plain
from .._checks import shown as shown
