"""The figures of a report: what they show of runs and tables."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arithmax._files import write_table
from arithmax.report import figures
from arithmax.report import page as document_of
from arithmax.report._draw_measures import places
from arithmax.report._draw_weights import drawn_matrices
from arithmax.report._style import packed
from arithmax.results import Results
from arithmax.statistics import Range
from arithmax.studies import (
    Computed,
    Convergence,
    Evaluation,
    ImageRow,
    Lines,
    Measured,
    Plot,
    Seeds,
    Surface,
    evaluate,
)
from arithmax.studies._curves import quartiles
from pages import NASTY


def test_every_plot_with_data_has_a_figure(trained, computed):
    captions = [caption for caption, _ in figures(trained)]
    assert captions == [plot.caption for plot in trained.study.plots[:-1]]
    assert len(figures(computed)) == 5


def test_a_map_is_coloured_by_powers_of_ten(computed):
    (drawn,) = [figure for caption, figure in figures(computed) if caption == "Map."]
    table = computed.computed.tables["surface"]
    values = np.array([z for z in table["z"] if np.isfinite(z) and z > 0])
    maps: Any = list(drawn.select_traces())
    shown = np.concatenate([np.ravel(np.asarray(m.z, float)) for m in maps])
    shown = shown[np.isfinite(shown)]
    np.testing.assert_allclose(np.sort(10**shown), np.sort(values), rtol=1e-3)


@pytest.mark.parametrize(
    "outcomes", [["solved"], ["not solved"], ["solved", "diverged"]]
)
def test_seeds_are_drawn_whatever_became_of_them(trained, outcomes):
    found = trained.arm_runs[0]
    rows = [
        row | {"outcome": outcome, "solved_at": 1000 if outcome == "solved" else None}
        for row, outcome in zip(found.rows * 2, outcomes, strict=False)
    ]
    by = next(iter(found.arm.labels))
    own = replace(trained.study, arms=(found.arm,), plots=(Seeds("Seeds.", by),))
    ((_, drawn),) = figures(
        replace(trained, study=own, arm_runs=[replace(found, rows=rows)])
    )
    traces: Any = list(drawn.select_traces())
    assert sum(len(trace.x) for trace in traces) == len(outcomes)


def test_without_runs_there_is_nothing_to_draw(trained):
    empty = evaluate(trained.study, Results([]))
    assert figures(empty) == []
    assert "not run" in document_of([empty])


def test_without_a_folder_curves_and_weights_are_left_out(trained):
    bare = evaluate(trained.study, Results(trained.results.rows))
    kinds = [plot.caption for plot in trained.study.plots[:4]] + ["Seeds."]
    assert [caption for caption, _ in figures(bare)] == kinds


def test_curves_are_quartiles_over_the_runs_of_a_series(trained):
    rows = trained.arm_runs[0].rows
    found = quartiles(trained.results, {row["run"]: "all" for row in rows})
    one = [quartiles(trained.results, {row["run"]: "one"})["one"] for row in rows]
    expected = np.quantile([o[:, 2] for o in one], [0.25, 0.5, 0.75], axis=0)
    assert found["all"][:, 0].tolist() == list(range(0, 3001, 500))
    np.testing.assert_allclose(found["all"][:, 1:].T, expected, rtol=1e-6)


def with_errors(evaluation: Evaluation, folder, errors) -> Results:
    """The rows of an evaluation, and curves of two points with an error for each."""
    runs = [row["run"] for found in evaluation.arm_runs for row in found.rows]
    points = {"run": np.repeat(np.array(runs, dtype=object), 2)}
    points["step"] = np.tile([500, 1000], len(runs))
    points["extrapolation"] = np.repeat(np.array(errors, np.float32), 2)
    write_table(folder / "x.curves.parquet", points)
    return Results(evaluation.results.rows, folder)


def test_what_diverged_counts_as_infinite(trained, tmp_path):
    """Quartiles that leave such runs out would show the best of them."""
    nan, inf = np.nan, np.inf
    results = with_errors(trained, tmp_path, [nan, 2.0, 1.0, nan, inf, nan])
    runs = [row["run"] for found in trained.arm_runs for row in found.rows]
    found = quartiles(results, dict(zip(runs, "aaabbb", strict=True)))
    assert found["a"].tolist() == [[500, 1.5, 2, inf], [1000, 1.5, 2, inf]]
    assert np.isinf(found["b"][:, 1:]).all()


def test_an_arm_that_diverged_is_named_in_the_legend(trained, tmp_path):
    results = with_errors(trained, tmp_path, [1.0, 2.0, 1.0, *[np.nan] * 3])
    study = replace(trained.study, plots=(Convergence("Curves."),))
    ((_, drawn),) = figures(replace(trained, study=study, results=results))
    names = [t.get("name") for t in drawn.to_plotly_json()["data"]]
    assert "NALU (diverged)" in names and len(names) == 5
    (tmp_path / "x.curves.parquet").unlink()
    results = with_errors(trained, tmp_path, [np.nan] * 6)
    assert figures(replace(trained, study=study, results=results)) == []


def test_a_plot_of_another_kind_is_refused(computed):
    odd = replace(computed.study, plots=(Plot("odd"),))
    with pytest.raises(ValueError, match=r"'odd'.*no report can draw"):
        figures(replace(computed, study=odd))


def test_data_that_cannot_be_drawn_are_named(computed):
    odd = replace(computed.study, plots=(Surface("odd", "shown", NASTY, "b|c", "b|c"),))
    with pytest.raises(ValueError, match="the plot 'odd' of the study 'computed'"):
        figures(replace(computed, study=odd))


def test_a_plot_without_its_column_is_left_out(computed):
    """The table is of another version of the study, which its remark says."""
    odd = replace(computed.study, plots=(Lines("odd", "lines", "n", "w"),))
    assert figures(replace(computed, study=odd)) == []


def test_lines_of_some_rows_alone(computed):
    plots = tuple(
        Lines("o", "lines", "n", "v", "unit", only={"unit": unit})
        for unit in ("NAC", ["NAC", NASTY], "none")
    )
    drawn = figures(replace(computed, study=replace(computed.study, plots=plots)))
    assert [len(list(f.select_traces())) for _, f in drawn] == [1, 2]


def test_images_stand_in_a_row_with_what_is_known_of_them(computed):
    study = replace(computed.study, plots=computed.study.plots[-1:])
    ((_, drawn),) = figures(replace(computed, study=study))
    (shown,) = drawn.to_plotly_json()["data"]
    z = np.array([[np.nan if v is None else v for v in row] for row in shown["z"]])
    assert z.shape == (2, 2 + 4 + 2)
    assert z[:, :2].tolist() == [[0, 255], [128, 1]]
    assert np.isnan(z[:, 2:6]).all() and z[1, 6:].tolist() == [3, 4]
    texts = [note["text"] for note in drawn.to_plotly_json()["layout"]["annotations"]]
    assert texts[:2] == ["1.25", "1"] and "<script" not in "".join(texts)


def test_an_image_that_is_no_square_is_named(computed):
    odd = Computed({"images": {"image": ["00ff80"], "digit": [1]}})
    study = replace(computed.study, plots=(ImageRow("I.", "images", label="digit"),))
    with pytest.raises(ValueError, match="3 pixels, which are no square"):
        figures(replace(computed, study=study, computed=odd))


def test_seeds_that_diverged_have_a_band_and_a_sentence(trained):
    odd = {"outcome": "diverged", "extrapolation": float("inf"), "diverged_at": 500}
    odd["sentence"] = "diverged at step 500"
    found = trained.arm_runs[0]
    rows = [found.rows[0] | odd, *found.rows[1:]]
    study = replace(trained.study, plots=(Seeds("s"),))
    changed = replace(trained, study=study, arm_runs=[replace(found, rows=rows)])
    ((_, drawn),) = figures(changed)
    traces = drawn.to_plotly_json()["data"]
    said = [list(row) for trace in traces for row in trace["customdata"]]
    assert [0, "diverged at step 500", "∞"] in [row[:3] for row in said]
    assert "diverged" in drawn.layout.yaxis2.ticktext  # type: ignore[attr-defined]  # Plotly makes it


def test_a_range_has_no_error_bar(trained):
    plot = Measured("Sparsity.", "sparsity", "model")
    assert isinstance(trained.arm_runs[0].ours("sparsity"), Range)  # of three seeds
    ((_, drawn),) = figures(
        replace(trained, study=replace(trained.study, plots=(plot,)))
    )
    ours, theirs = (t["error_y"] for t in drawn.to_plotly_json()["data"][:2])
    assert ours["array"] == ours["arrayminus"] == [0.0]
    assert all(length > 0 for length in theirs["array"])


def test_labels_stand_side_by_side_and_numbers_in_order():
    assert places([10, 2, 300, 2]) == {2: 0, 10: 1, 300: 2}
    assert places(["b", "a", "b"]) == {"b": 0, "a": 1}


def test_long_numbers_are_packed_and_short_ones_are_rounded():
    assert packed([1 / 3, np.nan, 2]) == [0.33333, None, 2.0]
    assert packed(np.arange(100)).dtype == np.float32
    assert packed(np.full(30, 1e-50)) == [1e-50] * 30  # single precision has none


def test_a_reduced_run_is_told_apart_in_plots(trained):
    first, second, third = trained.arm_runs
    reduced = replace(trained, arm_runs=[first, replace(second, reduced="few"), third])
    drawn: dict[str, Any] = dict(figures(reduced))
    texts = [t for trace in drawn["Grid."].data for row in trace.text for t in row]
    assert sorted(filter(None, texts)) == ["0 ◐", "100"]
    rates = drawn[trained.study.plots[0].caption]
    assert "◐ paler: reduced run" in [trace.name for trace in rates.data]
    pale = [trace.marker.opacity for trace in rates.data]
    assert (1.0, 0.4) in pale  # the full run, and the reduced one
    plain: Any = dict(figures(trained))[trained.study.plots[0].caption]
    assert not any("reduced" in trace.name for trace in plain.data)


@pytest.mark.parametrize(
    ("columns", "narrowest", "widest"), [(2, 250, 450), (8, 400, 900), (100, 900, 1100)]
)
def test_weights_are_as_large_as_what_they_show(columns, narrowest, widest):
    panel = [("W", np.ones((1, columns))), ("V", np.ones((1, 2)))]
    drawn: Any = drawn_matrices([panel, panel])
    assert narrowest <= drawn.layout.width <= widest
    sizes = list(cells(drawn))
    assert len(sizes) == 4
    assert all(5 < width < 45 and 20 < height < 45 for width, height in sizes)
    # A matrix of two columns has cells of the same size, however wide the other is.
    assert sizes[-1][0] == pytest.approx(44, abs=1)


def cells(drawn):
    """The width and height of one cell of each matrix, in pixels."""
    layout = drawn.layout
    inner = layout.width - layout.margin.l - layout.margin.r
    tall = layout.height - layout.margin.t - layout.margin.b
    for k in range(1, len(drawn.data) + 1):
        x = layout[f"xaxis{k if k > 1 else ''}"]
        y = layout[f"yaxis{k if k > 1 else ''}"]
        across, down = x.domain[1] - x.domain[0], y.domain[1] - y.domain[0]
        yield (
            inner * across / (x.range[1] - x.range[0]),
            tall * down / abs(y.range[1] - y.range[0]),
        )
