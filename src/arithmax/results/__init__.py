"""Results: one row for each run with its whole configuration, in Parquet files.

A folder that the fleet writes holds, for each block of replicas that was trained
together, `NAME.rows.parquet`, `NAME.curves.parquet` and the weights of the best step in
`NAME.safetensors`. `pack` makes few small files of such a folder: `NAME.rows.parquet`,
`NAME.curves.stacks.parquet` and `NAME.weights.stacks.parquet`. Both are read by the
same functions. Files are written whole, under another name first, and never
overwritten; DuckDB reads the rows of them all as one table.
"""

from ._curves import read_curves as read_curves
from ._curves import thinned as thinned
from ._pack import pack as pack
from ._results import Results as Results
from ._results import read as read
from ._rows import FORMAT as FORMAT
from ._rows import IDENTITY as IDENTITY
from ._rows import NEEDED as NEEDED
from ._rows import column_value as column_value
from ._rows import identity as identity
from ._rows import one_each as one_each
from ._rows import settings as settings
from ._rows import write_rows as write_rows
from ._summary import Summary as Summary
from ._summary import exact_after_rounding as exact_after_rounding
from ._summary import summarise as summarise
from ._summary import to_json as to_json
from ._weights import read_weights as read_weights
