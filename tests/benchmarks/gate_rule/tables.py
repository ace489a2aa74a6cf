"""What is looked at, and how is it told? Each function is one table of `gate_rule`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtrit

from harness.gate.policy import MOST_GATED
from harness.gate.resolution import RESOLVED, chance_to_pass, finest_margin, needed_pairs
from tests.benchmarks.gate_rule.gates import Share, play, run_gates
from tests.benchmarks.gate_rule.models import Drift, Kept
from tests.benchmarks.gate_rule.naive import coverage, found_otherwise, median_fails, pooled_fails

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from harness.gate.sequence import Design
    from tests.benchmarks.gate_rule.models import Array, Model

__all__ = [
    "ASSUMED",
    "DRIFT_MARGIN",
    "EFFECTS",
    "Gated",
    "Table",
    "found_again_table",
    "gates_table",
    "intervals_table",
    "looks_table",
    "margins_table",
    "metrics_table",
    "naive_table",
]

EFFECTS = (0.0, 0.02, 0.05, 0.10)
DRIFT_MARGIN = 0.07
"""What the noise of the drift model takes; see the table of margins."""


@dataclass(frozen=True, slots=True)
class Gated:
    """A gated metric: what an A/A gate found of it, and what the policy says."""

    name: str
    noise: float
    margin: float


ASSUMED = tuple(
    Gated(f"{100 * noise:g} % apart", noise, 0.05)
    for noise in (0.010, 0.015, 0.020, 0.025, 0.030, 0.035)
)
"""Where no A/A gate was kept: what a margin of 5 % can be had with."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table, to print or to keep."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __str__(self) -> str:
        """In columns; the first to the left and the others to the right."""
        lines = [self.head, *self.rows]
        widths = [max(len(line[place]) for line in lines) for place in range(len(self.head))]
        return "\n".join(
            [
                self.title,
                *(
                    "  "
                    + "  ".join(
                        cell.rjust(width) if place else cell.ljust(width)
                        for place, (cell, width) in enumerate(zip(line, widths, strict=True))
                    )
                    for line in lines
                ),
                "",
            ]
        )


def gates_table(
    title: str,
    model: Model,
    margins: Sequence[float],
    worse: int,
    design: Design,
    trials: int,
    seed: int,
) -> Table:
    """Whole gates, of which one metric is truly worse: what share comes to what."""
    effects = [np.where(np.arange(model.metrics) == worse, effect, 0.0) for effect in EFFECTS]
    played = play(model, effects, np.asarray(margins), design, trials, seed)
    rows = (
        (
            f"{100 * effect:g} %",
            _exact(gates.failed),
            _exact(gates.passed),
            _exact(gates.inconclusive),
            f"{gates.first.value:.4f}",
            f"{gates.pairs:.1f}",
        )
        for effect, gates in zip(EFFECTS, played, strict=True)
    )
    head = ("true effect", "fail", "pass", "inconclusive", "before confirming", "pairs")
    return Table(title, head, tuple(rows))


def metrics_table(metrics: Sequence[Gated], design: Design) -> Table:
    """What the instrument can tell in each metric by itself."""
    level = design.level(design.pairs)
    rows = (
        (
            each.name,
            _percent(each.noise),
            _percent(each.margin),
            _percent(finest_margin(each.noise, design)),
            _percent(finest_margin(each.noise, design, RESOLVED ** (1 / MOST_GATED))),
            f"{chance_to_pass(each.noise, each.margin, design.pairs, level):.3f}",
            str(needed_pairs(each.noise, each.margin, design)),
        )
        for each in metrics
    )
    head = ("metric", "noise", "margin", "resolved", "as one of six", "pass, no change", "needed")
    return Table("Metrics by themselves", head, tuple(rows))


def naive_table(trials: int, seed: int) -> Table:
    """Share of fails of simpler rules, one metric, five starts a side, margin 5 %."""
    blocked, one = Drift(1, blocked=True, session=10), Drift(1, blocked=True, session=2)
    turned = Drift(1, session=10)
    rules: dict[str, Callable[[float], Share]] = {
        "single start, A B": lambda e: median_fails(one, e, 0.05, 1, trials, seed),
        "median of 5, A…A B…B": lambda e: median_fails(blocked, e, 0.05, 5, trials, seed),
        "pooled requests, A…A B…B": lambda e: pooled_fails(blocked, e, 5, trials, seed),
        "median of 5, ABBA": lambda e: median_fails(turned, e, 0.05, 5, trials, seed),
        "pooled requests, ABBA": lambda e: pooled_fails(turned, e, 5, trials, seed),
    }
    rows = ((name, *(_exact(rule(effect)) for effect in EFFECTS)) for name, rule in rules.items())
    head = ("rule", *(f"true {100 * effect:g} %" for effect in EFFECTS))
    return Table("Simpler rules under the drift, one metric: share of fails", head, tuple(rows))


def looks_table(design: Design, trials: int, seed: int) -> Table:
    """What looking often does to the errors, with the levels of the design and without."""
    noise = np.random.default_rng(seed).standard_normal((trials, design.pairs))

    def crossed(levels: Mapping[int, float]) -> Share:
        hits = np.zeros(trials, dtype=bool)
        for n, level in levels.items():
            seen = noise[:, :n]
            t = seen.mean(axis=1) / seen.std(axis=1, ddof=1) * np.sqrt(n)
            hits |= t > -stdtrit(n - 1, level)
        return Share(int(hits.sum()), trials)

    planned = {n: design.level(n) for n in design.looks}
    rows = (
        ("one look, at the end", _exact(crossed({design.pairs: design.alpha}))),
        ("every look at 5 %", _exact(crossed(dict.fromkeys(design.looks, design.alpha)))),
        ("the levels of the design", _exact(crossed(planned))),
    )
    told = ", ".join(f"{n}: {level:.4f}" for n, level in planned.items())
    title = f"Candidates just outside the margin that pass at some look (levels {told})"
    return Table(title, ("looks", "pass wrongly"), rows)


def margins_table(design: Design, trials: int, seed: int) -> Table:
    """For which margins the three promises hold, by noise: six metrics, what they share apart."""
    grid = np.arange(0.010, 0.0951, 0.0025)
    rows = []
    for noise in (0.01, 0.02, 0.03, 0.035, 0.04, 0.045, 0.048, 0.05, 0.055, 0.06):
        held = {}
        for shared in (0.0, 0.8):
            draw = np.random.default_rng(seed)
            model = Kept((noise,) * MOST_GATED, shared)
            deciding = model.pairs(draw, trials, design.pairs)
            fresh = model.pairs(draw, trials, design.confirm)
            held[shared] = [
                float(margin)
                for margin in grid
                if _promised(deciding, fresh, float(np.log1p(margin)), design)
            ]
        rows.append(
            (
                _percent(noise),
                _percent(finest_margin(noise, design)),
                _percent(finest_margin(noise, design, RESOLVED ** (1 / MOST_GATED))),
                _range(held[0.0]),
                _range(held[0.8]),
            )
        )
    head = ("noise", "resolved", "as one of six", "promises hold, own", "promises hold, shared")
    return Table("Margins by noise (sd of paired log ratios)", head, tuple(rows))


def found_again_table(design: Design, trials: int, seed: int) -> Table:
    """Whole gates by the way in which a fail has to be found again."""
    rows = []
    draw = np.random.default_rng(seed)
    model, loud = Drift(), Kept((0.15,) * MOST_GATED, 0.0)
    one = np.where(np.arange(MOST_GATED) == 0, np.log(1.10), 0.0)[None, :, None]
    limits = np.full(MOST_GATED, np.log1p(DRIFT_MARGIN))
    true = model.pairs(draw, trials, design.pairs) + one, model.pairs(draw, trials, 8) + one
    none = loud.pairs(draw, trials, design.pairs), loud.pairs(draw, trials, 8)
    for n in (4, 6, 8):
        for name, again in found_otherwise(n, design.pairs).items():
            real = run_gates(*true, limits, design, again)
            false = run_gates(*none, limits, design, again)
            rows.append((f"{n} pairs, {name}", _exact(real.failed), _exact(false.failed)))
    first = f"{real.first.value:.3f}", f"{false.first.value:.3f}"
    head = ("fresh block", "fail, true 10 %, drift", "fail, no change, pairs 15 % apart")
    title = "How a fail is found again (before: {} and {})".format(*first)
    return Table(title, head, tuple(rows))


def intervals_table(trials: int, seed: int) -> Table:
    """How often a 90 % interval holds the truth."""
    rows = []
    for kind in ("normal", "one in ten five sd off", "exponential"):
        for n in (4, 5, 6, 8, 10):
            student, bca = coverage(kind, n, min(trials, 2_000), 1_000, seed)
            rows.append((f"{kind}, {n} pairs", _exact(student), _exact(bca)))
    return Table("Intervals of 90 %: how many hold the truth", ("pairs", "t", "BCa"), tuple(rows))


def _promised(deciding: Array, fresh: Array, limit: float, design: Design) -> bool:
    """Whether the three rates that a gate promises are kept."""
    limits = np.full(deciding.shape[1], limit)
    one = np.where(np.arange(deciding.shape[1]) == 0, np.log(1.10), 0.0)[None, :, None]
    none = run_gates(deciding, fresh, limits, design)
    worse = run_gates(deciding + one, fresh + one, limits, design)
    return none.failed.value <= 0.02 and none.passed.value >= 0.90 and worse.failed.value >= 0.95


def _exact(share: Share) -> str:
    low, high = share.interval()
    return f"{share.value:.3f} ({low:.3f}-{high:.3f})"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _range(margins: Sequence[float]) -> str:
    return f"{100 * margins[0]:.2f}-{100 * margins[-1]:.2f} %" if margins else "none"
