"""The results as Markdown."""

import json
import pathlib

import results

# What `Benchmarks/queue` has written, and its goals.
QUEUE_RESULTS = pathlib.Path(__file__).resolve().parents[1] / "queue-results.json"
QUEUE_GOALS = {"added": 200_000, "completed": 20_000, "claim": 0.005, "peak": 150 << 20}
FULL_SIZE = 2 << 30
MEMORY_GOAL = 64 << 20


def summary(outcome: dict) -> str:
    """A line for each goal, met or not."""
    lines = ["| work | goal | Ferry | beside | ratio | met |", "|---|---|---|---|---|---|"]
    for row in outcome["rows"].values():
        for goal in row["goals"]:
            found = results.verdict(row, goal)
            cells = [
                title(row), wording(goal), shown(found["metric"], found["ferry"]), beside(found), ratio(found),
                answer(row, found),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    lines.append(memory_line(outcome))
    lines += queue_lines()
    return "\n".join(lines + ["", below(outcome)])


def details(outcome: dict) -> str:
    """A table for each row: every contender's medians."""
    parts = []
    for name, row in outcome["rows"].items():
        lines = [f"#### `{name}`: {title(row)}", ""]
        again = any("again" in each for each in row["samples"])
        heads = ["", "wall", "CPU", "user", "system", "peak memory"] + (["sent beyond the file"] if again else []) + ["failed"]
        lines += [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
        for contender in results.contenders(row):
            lines.append(f"| {' | '.join(cells_of(row, contender, again))} |")
        lines += ["", f"Measured {row['date'][:10]} with Ferry {row['ferry']}; load average {row['load']['before']}"
                  f" before and {row['load']['after']} after." + "".join(f" {note}" for note in row["notes"])]
        if "ideal" in row:
            lines[-1] += f" Ideal: {shown('wall', row['ideal']['wall'])}."
        lines += [f"- {reason}" for reason in reasons(row)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def cells_of(row: dict, contender: str, again: bool) -> list[str]:
    found = results.figures(row, contender)
    cells = [contender] + [shown(metric, found.get(metric)) for metric in ("wall", "cpu", "user", "system")]
    cells.append(shown("peak", found.get("greatest peak")))
    if again:
        worth = f" ({shown('worth', found['greatest worth'])})" if "greatest worth" in found else ""
        cells.append(f"≤ {shown('again', found['greatest again'])}{worth}" if "greatest again" in found else "—")
    return cells + [f"{found['failed']} of {found['runs']}" if found["failed"] else "none"]


def reasons(row: dict) -> list[str]:
    """How runs failed, each once."""
    found: dict[str, int] = {}
    for each in row["samples"]:
        if each["failure"] is not None:
            reason = f"{each['tool']}: {each['failure']}"
            found[reason] = found.get(reason, 0) + 1
    return [f"{reason} ({count} ×)" for reason, count in found.items()]


def memory_line(outcome: dict) -> str:
    peaks = {
        name: max((each["peak"] for each in row["samples"] if each["tool"] in ("ferry", "ferry, new store")), default=0)
        for name, row in outcome["rows"].items()
    }
    if not peaks:
        return "| memory | ≤ 64 MiB | not measured yet | — | — | — |"
    row = max(peaks, key=lambda name: peaks[name])
    met = "yes" if peaks[row] <= MEMORY_GOAL else "**no**"
    return f"| memory in all of these | ≤ 64 MiB | {shown('peak', peaks[row])} | in `{row}` | — | {met} |"


def queue_lines() -> list[str]:
    """What became of the goals for a million transfers."""
    work = "1,000,000 queued"
    if not QUEUE_RESULTS.exists():
        return [f"| {work} | ≥ {QUEUE_GOALS['added']:,} added a second | not measured yet | — | — | — |"]
    found = json.loads(QUEUE_RESULTS.read_text())["medians"]
    added, completed = found["add even"]["rate"], found["complete"]["rate"]
    claims = {name: row["claim p99"] for name, row in found.items() if name.startswith("claim ")}
    slowest = max(claims, key=lambda name: claims[name])
    peak = max(row["peak"] for row in found.values())
    goals = [
        (f"≥ {QUEUE_GOALS['added']:,} added a second", f"{added:,.0f}", "—", added >= QUEUE_GOALS["added"]),
        (f"≥ {QUEUE_GOALS['completed']:,} claimed and completed a second", f"{completed:,.0f}", "over 3 processes",
         completed >= QUEUE_GOALS["completed"]),
        ("claim p99 ≤ 5 ms", shown("wall", claims[slowest]), f"in `{slowest.removeprefix('claim ')}`",
         claims[slowest] <= QUEUE_GOALS["claim"]),
        ("≤ 150 MiB", shown("peak", peak), "—", peak <= QUEUE_GOALS["peak"]),
    ]
    return [
        f"| {work} | {goal} | {figure} | {beside} | — | {'yes' if met else '**no**'} |"
        for goal, figure, beside, met in goals
    ]


def title(row: dict) -> str:
    return row["title"] if row["size"] == FULL_SIZE else f"{row['title']} (quick: 1/{FULL_SIZE // row['size']})"


def wording(goal: dict) -> str:
    return goal["text"] if goal["text"] != "—" else {"cpu": "(CPU)", "wall": "(wall)"}[goal["metric"]]


def beside(found: dict) -> str:
    if found["against"] is None:
        return "—"
    if found["other"] is None and found["met"] is None:
        return f"{found['against']} not run"
    return f"{found['against']} {shown(found['metric'], found['other'])}"


def ratio(found: dict) -> str:
    if "ratio" not in found or found["against"] is None:
        return "—"
    span = found["span"]
    return f"{found['ratio']:.2f} ({span[0]:.2f}–{span[1]:.2f})" if span else f"{found['ratio']:.2f}"


def answer(row: dict, found: dict) -> str:
    if found["met"] is None:
        return "—"
    if row["size"] != FULL_SIZE and found["metric"] != "worth" and found["against"] is not None:
        return "(quick)"
    return "yes" if found["met"] else "**no**"


def shown(metric: str, value: float | None) -> str:
    if value is None:
        return "failed"
    if metric == "peak":
        return f"{value / (1 << 20):.1f} MiB"
    if metric == "again":
        return f"{value / 1e6:.1f} MB"
    if metric == "each":
        return f"{value * 1e6:.0f} µs"
    return f"{value * 1000:.1f} ms" if value < 0.1 else f"{value:.2f} s"


def below(outcome: dict) -> str:
    facts = outcome["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in outcome["tools"].items() if "floor" not in name)
    return (
        f"Medians; the tools took turns against nginx on loopback. The ratio is Ferry's figure divided by the other's,"
        f" with its range over the rounds. {facts['processor']}, {facts['cores']} cores, {facts['memory'] / (1 << 30):.0f} GiB,"
        f" {facts['kernel']}, {facts['file system']}, {facts['congestion control']}. {versions}."
    )
