"""The results as Markdown."""

import rows

GOALS = {"add": 200_000, "complete": 20_000, "claim": 0.005, "peak": 150 << 20, "discover": 100_000, "walk": 500_000}


def table(outcome: dict) -> str:
    """A line for each figure; those with a goal say whether it is met."""
    found = outcome["medians"]
    lines = ["| work | goal | measured | met |", "|---|---|---|---|"]
    for crowd in rows.CROWDS:
        if row := found.get(f"add {crowd}"):
            lines.append(line(f"added in batches of 5,000, {rows.CROWDS[crowd]}", "≥ 200,000/s", rate(row),
                              row["rate"] >= GOALS["add"] if crowd == "even" else None))
    if row := found.get("complete"):
        lines.append(line(f"claimed and completed over {rows.PROCESSES} processes, 16 slots each", "≥ 20,000/s",
                          rate(row), row["rate"] >= GOALS["complete"]))
        lines.append(line("a claim of 16 meanwhile", "—", spread(row), None))
    for crowd in rows.CROWDS:
        if row := found.get(f"claim {crowd}"):
            lines.append(line(f"a claim of 16, {rows.CROWDS[crowd]}", "p99 ≤ 5 ms", spread(row),
                              row["claim p99"] <= GOALS["claim"]))
    if row := found.get("look"):
        for page in rows.PAGES:
            lines.append(line(f"a page of 100 of {page}, wherever it begins", "—", spread(row, f"page of {page}"), None))
        lines.append(line("counting by state", "—", spread(row, "count"), None))
        lines.append(line("when the next wait ends", "—", spread(row, "wake"), None))
    if (row := found.get("prune")) and row.get("pruned"):
        lines.append(line("forgetting ended transfers", "—", f"{row['pruned'] / row['wall']:,.0f}/s", None))
        lines.append(line("one step of that, during which no other process writes", "—", spread(row, "step"), None))
    for name, ids in rows.TREES.items():
        if row := found.get(f"{name} {name}"):
            lines.append(line(f"nodes discovered and marked in batches of 5,000, {ids}", "≥ 100,000/s", rate(row),
                              row["rate"] >= GOALS["discover"]))
        if row := found.get(f"walk {name}"):
            lines.append(line(f"nodes walked through, {ids}", "≥ 500,000/s", rate(row), row["rate"] >= GOALS["walk"]))
            lines.append(line("a page of 1,000 of that", "—", spread(row, "page"), None))
        if row := found.get(f"search {name}"):
            lines.append(line(f"marked nodes found and ordered, {ids}", "—", rate(row), None))
            lines.append(line("a round of 200,000 of that", "—", spread(row, "round"), None))
            lines.append(line("most memory of that", "—", f"{row['peak'] / (1 << 20):.0f} MiB", None))
    peak = max(row["peak"] for row in found.values())
    lines.append(line("most memory of a process in all of these", "≤ 150 MiB", f"{peak / (1 << 20):.0f} MiB",
                      peak <= GOALS["peak"]))
    facts = outcome["machine"]
    lines += ["", f"{outcome['count']:,} transfers in one store; medians of {outcome['repeat']} rounds, p50 / p99 / longest."
              f" Measured {outcome['date'][:10]} with Ferry {outcome['ferry']}; load average {outcome['load']['before']}"
              f" before and {outcome['load']['after']} after. {facts['processor']}, {facts['cores']} cores,"
              f" {facts['memory'] / (1 << 30):.0f} GiB, {facts['kernel']}, {facts['file system']}."]
    return "\n".join(lines)


def line(work: str, goal: str, measured: str, met: bool | None) -> str:
    return f"| {work} | {goal} | {measured} | {'—' if met is None else 'yes' if met else '**no**'} |"


def rate(row: dict) -> str:
    return f"{row['rate']:,.0f}/s, {row['cpu each'] * 1e6:.1f} µs of CPU each"


def spread(row: dict, name: str = "claim") -> str:
    return " / ".join(milliseconds(row[f"{name} {part}"]) for part in ("p50", "p99", "max"))


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"
