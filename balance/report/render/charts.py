"""Still figures, drawn with matplotlib: the same figure of the model, the same bytes.

Letters are paths, so that nothing depends on the fonts of a machine; the colour-blind can distinguish the
colours (Okabe and Ito's), and in print they differ in shade. Never a number that is not in the figure.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from balance.report.formatting import series_name
from balance.report.model import Chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawing

COLOURS: Final = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#444444",
    "#B8A800",
    "#999999",
)
"""Colours of series, in order."""
VERDICT_COLOURS: Final[Mapping[str, str]] = {
    "broken": "#8E0B1E",
    "undecided": "#F4EBD6",
    "bent": "#E8A33D",
    "fine": "#6BAED6",
    "not played": "#FFFFFF",
}
"""Dark red, light sand, amber and middle blue: they differ in shade, and avoid red beside green."""
_STACKED: Final = ("#1B2A49", "#D55E00", "#56B4E9", "#F6E8A0", "#777777", "#009E73", "#CC79A7")
"""Colours of stacked bars: neighbours differ in shade, so that print shows them apart."""
FONT: Final = "DejaVu Sans"
"""It comes with matplotlib: `font_folder`."""
_MARKERS: Final = "osD^vPX*h"
_ENDS: Final = ("low", "high")
_STYLE: Final[dict[str, Any]] = {
    "svg.fonttype": "path",
    "svg.hashsalt": "balance",
    "text.parse_math": False,  # a dollar in the name of a card is a dollar
    "font.family": FONT,
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.edgecolor": "#555555",
    "xtick.color": "#333333",
    "ytick.color": "#333333",
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "path.simplify": False,
    "figure.dpi": 72,
}


def svg(figure: Chart, *, letters: bool = False) -> str:
    """Return the figure as an SVG document; with `letters` words are letters of FONT, otherwise drawn."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Drawing

    style = {**_STYLE, "svg.fonttype": "none"} if letters else _STYLE
    with warnings.catch_warnings(), mpl.rc_context(style):  # type: ignore[arg-type]
        # a name in a script that the font lacks is drawn as boxes; nobody can do anything about it here
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font")
        # names that take the room of the figure: it is drawn without the best spacing
        warnings.filterwarnings("ignore", "constrained_layout not applied")
        drawing = Drawing(figsize=_size(figure), layout="constrained")
        FigureCanvasSVG(drawing)
        axes = drawing.add_subplot()
        _KINDS[figure.kind](drawing, axes, figure)
        if figure.marks and not letters:
            _spots(axes, figure)
        out = io.BytesIO()
        drawing.savefig(out, format="svg", dpi=130, metadata={"Date": None, "Creator": None})
    return out.getvalue().decode("utf-8")


def font_folder() -> Path:
    """Return the folder with the font of the figures."""
    import matplotlib as mpl

    return Path(mpl.get_data_path()) / "fonts" / "ttf"


def _size(figure: Chart) -> tuple[float, float]:
    if figure.kind == "matrix":
        side = len(dict.fromkeys(figure.data["row"]))
        return 7.0, min(7.4, 1.6 + 0.17 * side)
    if figure.kind == "dots":
        return 7.0, 1.2 + 0.42 * max(2, len(dict.fromkeys(figure.data["label"])))
    if figure.kind in ("ridges", "rows"):
        return 7.0, min(8.8, 1.3 + 0.3 * len(dict.fromkeys(figure.data["label"])))
    return (7.0, 4.6) if figure.kind == "scatter" else (7.0, 3.1)


def _series(figure: Chart) -> list[Any]:
    return list(dict.fromkeys(figure.data["series"]))


def _rows(figure: Chart, series: Any) -> list[int]:
    return [k for k, own in enumerate(figure.data["series"]) if own == series]


def _spots(axes: Axes, figure: Chart) -> None:
    """Lay what a reader can point at over a drawing, unseen: `mark-K` for the K-th of the figure's places."""
    from matplotlib.patches import Rectangle

    data, kind = figure.data, figure.kind
    labels = list(dict.fromkeys(data.get("label", ())))
    series = _series(figure)
    for k, (row, *_) in enumerate(figure.places()):
        where: Any = axes.transData
        box: tuple[float, ...]
        if kind in ("histogram", "areas", "lines"):
            box, where = (data["x"][row] - 0.5, 0, 1, 1), axes.get_xaxis_transform()
        elif kind == "ridges":
            box, where = (-0.4, labels.index(data["label"][row]) - 0.5, 1.4, 1), axes.get_yaxis_transform()
        elif kind == "dots":
            high = 0.72 / len(series)
            at = labels.index(data["label"][row]) - 0.36 + high * series.index(data["series"][row])
            box, where = (0, at, 1, high), axes.get_yaxis_transform()
        elif kind == "rows":
            columns = list(dict.fromkeys(data["x"]))
            box = columns.index(data["x"][row]) - 0.5, labels.index(data["label"][row]) - 0.5, 1, 1
        elif kind == "scatter" and data["y"][row] is not None:
            low, high = (data[end][row] if data[end][row] is not None else data["y"][row] for end in _ENDS)
            box = _beside(figure)[row] - 0.1, low, 0.2, max(high - low, 0.01)
        else:
            continue
        x, y, *size = box
        spot = Rectangle((x, y), *size, transform=where, alpha=0, clip_on=False, gid=f"mark-{k}")
        spot.set_in_layout(False)
        spot.set_zorder(99)  # above what it covers, so that pointing at it finds it
        axes.add_patch(spot)


def _titles(axes: Axes, figure: Chart) -> None:
    axes.set_xlabel(figure.x_title)
    axes.set_ylabel(figure.y_title)


def _legend(axes: Axes, series: Sequence[Any]) -> None:
    axes.figure.legend(loc="outside upper center", ncols=min(len(series), 6))


def _whole(axes: Axes) -> None:
    """Let only whole numbers stand at an axis of rounds."""
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def _percent(axis: Any, figure: Chart) -> None:
    from matplotlib.ticker import PercentFormatter

    if figure.y_kind == "share":
        axis.set_major_formatter(PercentFormatter(1.0, decimals=None))


def _heights(figure: Chart, series: Any, xs: Sequence[Any]) -> list[float]:
    """Return the value of a series at each of some places; 0 where it has none."""
    own = {figure.data["x"][i]: figure.data["y"][i] for i in _rows(figure, series)}
    return [float(own.get(x) or 0) for x in xs]


def _bars(_: Drawing, axes: Axes, figure: Chart) -> None:
    series = _series(figure)
    xs = list(dict.fromkeys(figure.data["x"]))
    bottom = [0.0] * len(xs)
    palette = _STACKED if figure.stacked else COLOURS
    for k, name in enumerate(series):
        heights = _heights(figure, name, xs)
        colour = VERDICT_COLOURS.get(str(name), palette[k % len(palette)])
        if figure.stacked:
            places, width = [float(i) for i in range(len(xs))], 0.82
        else:
            width = 0.82 / len(series)
            places = [i - 0.41 + width * (k + 0.5) for i in range(len(xs))]
        axes.bar(
            places,
            heights,
            width,
            bottom=bottom if figure.stacked else None,
            color=colour,
            edgecolor="#333333",
            linewidth=0.3,
            label=str(name),
        )
        for i, bar in zip(_rows(figure, name), axes.containers[-1], strict=False):
            bar.set_gid(f"mark-{i}" if figure.marks else None)
        if figure.stacked:
            bottom = [low + height for low, height in zip(bottom, heights, strict=True)]
    axes.set_xticks(range(len(xs)), [str(x) for x in xs])
    axes.grid(visible=False, axis="x")
    _percent(axes.yaxis, figure)
    _titles(axes, figure)
    _legend(axes, series)


def _dots(_: Drawing, axes: Axes, figure: Chart) -> None:
    labels = list(dict.fromkeys(figure.data["label"]))
    series = _series(figure)
    step = 0.72 / max(1, len(series))
    for k, name in enumerate(series):
        for shown, i in enumerate(_rows(figure, name)):
            at = labels.index(figure.data["label"][i]) - 0.36 + step * (k + 0.5)
            value, low, high = (figure.data[key][i] for key in ("y", "low", "high"))
            if value is None:
                continue
            colour = COLOURS[k % len(COLOURS)]
            if low is not None and high is not None:
                axes.plot([low, high], [at, at], color=colour, linewidth=1.1)
            axes.plot(
                [value],
                [at],
                linestyle="",
                marker=_MARKERS[k % len(_MARKERS)],
                markersize=4,
                color=colour,
                label=None if shown else series_name(name),
            )
    if figure.reference is not None:
        axes.axvline(figure.reference, color="#333333", linewidth=0.8, linestyle=":")
    axes.set_yticks(range(len(labels)), [str(label) for label in labels])
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    _percent(axes.xaxis, figure)
    axes.set_xlabel(figure.y_title)
    if len(series) > 1:
        _legend(axes, series)


def _scatter(_: Drawing, axes: Axes, figure: Chart) -> None:
    data, beside = figure.data, _beside(figure)
    told = [i for i, y in enumerate(data["y"]) if y is not None]
    for i in told:
        at, y = beside[i], data["y"][i]
        filled = data["series"][i] is True
        colour = COLOURS[0] if filled else "#777777"
        if data["low"][i] is not None and data["high"][i] is not None:
            axes.plot([at, at], [data["low"][i], data["high"][i]], color=colour, linewidth=0.7)
        axes.plot([at], [y], "o", markersize=4, color=colour, markerfacecolor=colour if filled else "white")
    order = sorted(told, key=lambda i: (-abs(data["y"][i]), data["label"][i]))
    points = [(str(data["label"][i]), beside[i], data["y"][i]) for i in order]
    _name_points(axes, points[:8], points)
    if figure.reference is not None:
        axes.axhline(figure.reference, color="#333333", linewidth=0.8, linestyle=":")
    _titles(axes, figure)


def _name_points(
    axes: Axes, named: Sequence[tuple[str, float, float]], points: Sequence[tuple[str, float, float]]
) -> None:
    """Write names to the right of points, to the left where a name or another point stands, or not at all."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    places = [((x - left) / (right - left), (y - bottom) / (top - bottom)) for _, x, y in points]
    taken = [(at - 0.005, at + 0.005, height, 0.018) for at, height in places]
    for name, x, y in named:
        at, height = (x - left) / (right - left), (y - bottom) / (top - bottom)
        for side in (1, -1):
            start, end = sorted((at + side * 0.006, at + side * (0.012 + 0.009 * len(name))))
            if any(abs(height - h) < near and start < e and s < end for s, e, h, near in taken):
                continue
            taken.append((start, end, height, 0.03))
            axes.annotate(
                name, (x, y), xytext=(5 * side, 0), textcoords="offset points", fontsize=6.5, va="center",
                ha="left" if side > 0 else "right",
            )  # fmt: skip
            break


def _beside(figure: Chart) -> list[float]:
    """Return where each point of a scatter is: those of the same `x` stand beside each other."""
    met: dict[Any, int] = {}
    found = []
    for x in figure.data["x"]:
        met[x] = met.get(x, 0) + 1
        found.append(float(x) + ((met[x] * 0.13) % 0.7 - 0.35))
    return found


def _areas(_: Drawing, axes: Axes, figure: Chart) -> None:
    xs, series = list(dict.fromkeys(figure.data["x"])), _series(figure)
    bands = [_heights(figure, name, xs) for name in series]
    axes.stackplot(
        xs, bands, labels=[series_name(name) for name in series], colors=_STACKED, edgecolor="#333333", lw=0.3
    )
    axes.margins(0)
    _whole(axes)
    _percent(axes.yaxis, figure)
    _titles(axes, figure)
    _legend(axes, series)


def _lines(_: Drawing, axes: Axes, figure: Chart) -> None:
    """Draw a line for each series with the band of its interval, or the outline of a histogram."""
    outline = figure.kind == "histogram"
    styles = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
    for k, name in enumerate(_series(figure)):
        rows, colour = _rows(figure, name), COLOURS[k % len(COLOURS)]
        xs, ys = ([figure.data[key][i] for i in rows] for key in ("x", "y"))
        if not outline:
            lows, highs = ([figure.data[end][i] for i in rows] for end in _ENDS)
            axes.fill_between(xs, lows, highs, color=colour, alpha=0.25, linewidth=0)
        axes.plot(
            xs,
            ys,
            color=colour,
            linestyle=styles[k % len(styles)] if outline else "-",
            drawstyle="steps-mid" if outline else "default",
            marker=None if outline else _MARKERS[k % len(_MARKERS)],
            markersize=3,
            linewidth=1.3,
            label=series_name(name),
        )
    axes.set_ylim(bottom=0)
    axes.set_xlim(left=0)
    _whole(axes)
    _percent(axes.yaxis, figure)
    _titles(axes, figure)
    _legend(axes, _series(figure))


def _named_rows(axes: Axes, labels: Sequence[Any]) -> None:
    axes.set_yticks(range(len(labels)), [str(label) for label in labels])
    axes.set_ylim(len(labels) - 0.4, -1.0)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    for side in ("left", "right"):
        axes.spines[side].set_visible(False)


def _ridges(_: Drawing, axes: Axes, figure: Chart) -> None:
    data, tallest = figure.data, max((y or 0.0 for y in figure.data["y"]), default=0.0) or 1.0
    outlines = {
        data["label"][rows[0]]: [(data["x"][i], data["y"][i] or 0.0) for i in rows]
        for rows in figure.places()
    }
    labels = list(outlines)
    for at, (label, points) in enumerate(outlines.items()):
        (behind, hidden), (xs, tops) = (
            ([x for x, _ in drawn], [at + 0.35 - 1.2 * y / tallest for _, y in drawn])
            for drawn in (outlines[labels[0]], points)
        )
        colour = COLOURS[0] if at else "#999999"
        axes.plot(behind, hidden, color="#777777", linewidth=0.8, zorder=at + 2.2)
        axes.fill_between(xs, at + 0.35, tops, color=colour, alpha=0.55, linewidth=0, zorder=at + 2)
        middle = next(data["middle"][i] for i, own in enumerate(data["label"]) if own == label)
        if middle is not None:
            axes.plot(
                [middle, middle], [at + 0.35, at - 0.1], color="#333333", linewidth=1.2, zorder=at + 2.4
            )
    _named_rows(axes, labels)
    axes.margins(x=0)
    _whole(axes)
    axes.set_xlabel(figure.x_title)


_MOST_SPREADS: Final = 3.0
"""Where the bars of a row end, however far a figure moves."""


def _bar_rows(_: Drawing, axes: Axes, figure: Chart) -> None:
    data = figure.data
    labels, columns = (list(dict.fromkeys(data[key])) for key in ("label", "x"))
    for i, y in enumerate(data["y"]):
        if y is None:
            continue
        low, high = (data[end][i] for end in _ENDS)
        sure = low is None or high is None or low > 0 or high < 0
        colour = (COLOURS[0] if y > 0 else COLOURS[5]) if sure else "#999999"
        height = -0.45 * max(-1.0, min(1.0, y / _MOST_SPREADS))
        axes.bar(
            columns.index(data["x"][i]), height, 0.6, bottom=labels.index(data["label"][i]), color=colour
        )
    axes.hlines(range(len(labels)), -0.5, len(columns) - 0.5, color="#555555", linewidth=0.4)
    _named_rows(axes, labels)
    axes.xaxis.tick_top()
    axes.set_xticks(range(len(columns)), [str(column) for column in columns], rotation=40, ha="left")
    axes.set_xlim(-0.6, len(columns) - 0.4)
    axes.spines["bottom"].set_visible(False)


def _matrix(drawing: Drawing, axes: Axes, figure: Chart) -> None:
    from matplotlib.colors import BoundaryNorm, ListedColormap, TwoSlopeNorm
    from matplotlib.patches import Patch

    names = list(dict.fromkeys(figure.data["row"]))
    place = {name: k for k, name in enumerate(names)}
    n = len(names)
    grid = [[math.nan] * n for _ in range(n)]
    verdicts = list(VERDICT_COLOURS)
    for row, column, y in zip(figure.data["row"], figure.data["column"], figure.data["y"], strict=True):
        if figure.verdict:
            grid[place[row]][place[column]] = float(verdicts.index(y))
        elif y is not None:
            grid[place[row]][place[column]] = math.log2(y) if figure.log and y > 0 else float(y)
    if figure.verdict:
        colours = ListedColormap(list(VERDICT_COLOURS.values()))
        norm: Any = BoundaryNorm([k - 0.5 for k in range(len(verdicts) + 1)], len(verdicts))
        axes.pcolormesh(grid, cmap=colours, norm=norm, edgecolors="white", linewidth=0.4, rasterized=True)
        shown = [verdict for verdict in verdicts if verdict in figure.data["y"]]
        key = [Patch(facecolor=VERDICT_COLOURS[name], edgecolor="#999999", label=name) for name in shown]
        drawing.legend(handles=key, loc="outside upper center", ncols=5)
    else:
        known = [abs(v) for line in grid for v in line if not math.isnan(v)]
        reach = max(known, default=1.0) or 1.0
        mesh = axes.pcolormesh(
            grid,
            cmap="PuOr_r",
            norm=TwoSlopeNorm(0.0, -reach, reach),
            edgecolors="white",
            linewidth=0.4,
            rasterized=True,
        )
        bar = drawing.colorbar(mesh, ax=axes, shrink=0.6)
        if figure.log:
            ticks = [t for t in (0.125, 0.25, 0.5, 1, 2, 4, 8, 16) if abs(math.log2(t)) <= reach]
            bar.set_ticks([math.log2(t) for t in ticks], labels=[f"{t:g} x" for t in ticks])
    size = 5.5 if n > 20 else 7
    plain = [str(name) for name in names]
    axes.set_xticks([k + 0.5 for k in range(n)], plain, rotation=90, fontsize=size)
    axes.set_yticks([k + 0.5 for k in range(n)], plain, fontsize=size)
    axes.set_ylim(n, 0)
    axes.set_aspect("equal")
    axes.tick_params(length=0)
    axes.grid(visible=False)
    for side in axes.spines.values():
        side.set_visible(False)


_KINDS: Final[Mapping[str, Callable[[Any, Any, Chart], None]]] = {
    "bars": _bars,
    "histogram": _lines,
    "areas": _areas,
    "lines": _lines,
    "ridges": _ridges,
    "rows": _bar_rows,
    "dots": _dots,
    "scatter": _scatter,
    "matrix": _matrix,
}
