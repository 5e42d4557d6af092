"""Whether a simple rule tells from its start how a run ends, and which rule."""

from typing import Any, NamedTuple

import numpy as np

from ._starts import Features

FOLDS, DEPTH, SHORT = 5, 3, 2  # of cross-validation; of a tree, and of one in words
SURE = 0.95  # the share of held-out runs that a rule must be right about
BETTER = 0.5  # of the errors of the more frequent outcome, the most that it may make
LEAF = 0.01  # the least share of runs that a leaf must hold


class RuleScore(NamedTuple):
    """How well outcomes are predicted, on runs that were held out.

    Args:
        base: the share of the more frequent outcome.
        linear: the share that a logistic regression has right.
        linear_area: the area under its ROC curve.
        tree: the share that a tree of depth 3 has right.
        tree_area: the area under its ROC curve.
        short: the share that a tree of depth 2 has right.
        rule: when that tree predicts success, in words; empty if it is no rule.
    """

    base: float
    linear: float
    linear_area: float
    tree: float
    tree_area: float
    short: float
    rule: str


def judge(found: Features, solved: np.ndarray) -> RuleScore:
    """Fit a logistic regression and two trees to outcomes.

    Args:
        found: numbers of the starts, by name.
        solved: which runs succeeded.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    base = float(max(solved.mean(), 1 - solved.mean()))
    x = np.stack(list(found.values()), axis=1)
    if min(solved.sum(), (~solved).sum()) < FOLDS:
        return RuleScore(base, base, 0.5, base, 0.5, base, "")
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    short = _tree(SHORT)
    right, _ = _held_out(short, x, solved)
    is_rule = right >= SURE and 1 - right <= BETTER * (1 - base)
    text = words(short.fit(x, solved), list(found)) if is_rule else ""
    several = _held_out(linear, x, solved), _held_out(_tree(DEPTH), x, solved)
    (share, area), (tree_share, tree_area) = several
    return RuleScore(base, share, area, tree_share, tree_area, right, text)


def _tree(depth: int) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    options: dict[str, Any] = {"max_depth": depth, "min_samples_leaf": LEAF}
    return DecisionTreeClassifier(random_state=0, **options)


def _held_out(model: Any, x: np.ndarray, solved: np.ndarray) -> tuple[float, float]:
    """The share that is right, and the area under the ROC curve, of held-out runs."""
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    both = cross_val_predict(model, x, solved, cv=folds, method="predict_proba")
    chance = np.asarray(both)[:, 1]
    right = float(np.mean((chance > 0.5) == solved))
    return right, float(roc_auc_score(solved, chance))


def words(tree: Any, names: list[str]) -> str:
    """When a fitted tree predicts success: its leaves, joined by “or”."""
    paths = _paths(tree.tree_, names, 0)
    if paths == [[]]:
        return "always"
    return " or ".join(" and ".join(path) for path in paths) or "never"


def _paths(tree: Any, names: list[str], node: int) -> list[list[str]]:
    """The conditions on each way from a node to success; none of them if all lead."""
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    if left < 0:
        return [[]] if np.argmax(tree.value[node][0]) else []
    sides = _paths(tree, names, left), _paths(tree, names, right)
    if sides == ([[]], [[]]):
        return [[]]
    name, at = (
        names[int(tree.feature[node])],
        f"{tree.threshold[node]:.2f}".replace("-", "−"),
    )
    return [
        path if _has(path, name, sign) else [f"{name} {sign} {at}", *path]
        for sign, side in zip(("≤", ">"), sides, strict=True)
        for path in side
    ]


def _has(path: list[str], name: str, sign: str) -> bool:
    """Whether a way asks as much of a number further down, where bounds are tighter."""
    return any(condition.startswith(f"{name} {sign} ") for condition in path)
