"""Products and sums of digits: success at each length, readings, a worked row."""

from collections.abc import Mapping
from functools import partial

from .._evaluate import Trained
from .._sheet import Sheet, sheet
from .._study import Computed, Study
from ._absolute import absolute, derived_errors
from ._lengths import published_rows, success
from ._readings import readings
from ._runs import PRODUCT, SUM, Variant, arms
from ._sequence import sequence
from ._together import together

READ = {"product": ("NMU", "NAC•"), "sum": ("NAU", "NAC+")}
WORKED = {"product": ("NMU", "LSTM"), "sum": ("NAU", "LSTM")}


def compute(page: Sheet, operation: str, trained: Trained) -> Computed:
    """All that is known of the runs of a study."""
    parts = [success(trained, page), readings(trained, READ[operation])]
    parts.append(sequence(trained, WORKED[operation]))
    if operation == "sum":
        parts.append(absolute(trained, page))
    return together(parts)


def experiment(operation: str, models: Mapping[str, Variant]) -> Study:
    """Every model, with its published counts at each length."""
    page = sheet("digits", f"digits-{operation}")
    order = list(models)
    rows = sorted(published_rows(page.name), key=lambda r: order.index(r["model"]))
    names = ("model", "length", "solved", "runs")
    counts = [{name: row[name] for name in names} for row in rows]
    for count in counts:
        if tried := page.front["tried"].get(page.claim("success", **count)):
            count["tried"] = tried
    derived = {"success": counts}
    if operation == "sum":
        derived["error"] = derived_errors(page.name)
    made = arms(operation, models)
    return page.study(made, partial(compute, page, operation), derived=derived)


def product() -> Study:
    """Cumulative products of the digits 1 to 9."""
    return experiment("product", PRODUCT)


def total() -> Study:
    """Cumulative sums of digits."""
    return experiment("sum", SUM)
