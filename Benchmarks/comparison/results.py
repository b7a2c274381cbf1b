"""The results as they are kept, and what is drawn from them: medians, ratios, failures."""

import json
import pathlib
import statistics

METRICS = ("wall", "cpu", "user", "system", "peak", "again", "worth", "each")


def read(path: pathlib.Path) -> dict:
    return json.loads(path.read_text()) if path.exists() else {}


def write(path: pathlib.Path, outcome: dict) -> None:
    path.write_text(laid_out(outcome) + "\n")


def merged(former: dict, outcome: dict) -> dict:
    """The new rows among the former ones, as far as those come from the same machine and the same peers."""
    for row in outcome["rows"].values():
        row["figures"] = {name: figures(row, name) for name in contenders(row)}
        row["ratios"] = [verdict(row, goal) for goal in row["goals"]]
    same = all(former.get(part) == outcome[part] for part in ("machine", "tools"))
    rows = {**(former["rows"] if same else {}), **outcome["rows"]}
    return {**outcome, "rows": rows}


def contenders(row: dict) -> list[str]:
    return list(dict.fromkeys(sorted((each["tool"] for each in row["samples"]), key=lambda name: name != "ferry")))


def good(row: dict, name: str) -> list[dict]:
    return [each for each in row["samples"] if each["tool"] == name and each["failure"] is None]


def figures(row: dict, name: str) -> dict:
    """The medians of the runs that did not fail, and the greatest of what must not be hidden by a median."""
    samples = good(row, name)
    runs = sum(each["tool"] == name for each in row["samples"])
    found: dict = {"runs": runs, "failed": runs - len(samples)}
    for metric in METRICS:
        values = [each[metric] for each in samples if metric in each]
        if values:
            found[metric] = statistics.median(values)
    for metric in ("peak", "again", "worth"):
        values = [each[metric] for each in samples if metric in each]
        if values:
            found[f"greatest {metric}"] = max(values)
    return found


def best_peer(row: dict, metric: str) -> str | None:
    """The peer with the lowest median among those none of whose runs failed."""
    whole = {name: figures(row, name) for name in row["peers"]}
    whole = {name: each for name, each in whole.items() if each["failed"] == 0 and metric in each}
    return min(whole, key=lambda name: whole[name][metric]) if whole else None


def verdict(row: dict, goal: dict) -> dict:
    """What became of a goal: Ferry's figure, the other's, their ratio and its span over the rounds."""
    metric = goal["metric"]
    key = f"greatest {metric}" if goal["limit"] is not None and metric in ("worth", "peak") else metric
    ours = figures(row, "ferry")
    against = best_peer(row, metric) if goal["against"] == "best" else goal["against"]
    found = {"metric": metric, "goal": goal["text"], "against": against, "ferry": ours.get(key)}
    if against is not None and against not in ["ideal", *contenders(row)]:
        return {**found, "other": None, "met": None}
    if against == "ideal":
        other, rounds = row["ideal"][metric], {}
    elif against is not None:
        other = figures(row, against).get(metric)
        rounds = {each["round"]: each[metric] for each in good(row, against)}
    else:
        other, rounds = goal["limit"], {}
    if found["ferry"] is None or not other:
        return {**found, "other": other, "met": None if goal["factor"] is None and goal["limit"] is None else False}
    pairs = [
        each[metric] / (rounds[each["round"]] if rounds else other)
        for each in good(row, "ferry")
        if not rounds or rounds.get(each["round"])
    ]
    ratio = found["ferry"] / other
    met = None
    if goal["limit"] is not None or goal["factor"] is not None:
        worst = max(pairs, default=ratio) if goal.get("in_every_round") else ratio
        met = ours["failed"] == 0 and worst <= (goal["factor"] or 1)
    span = [round(min(pairs), 3), round(max(pairs), 3)] if pairs else None
    return {**found, "other": other, "ratio": round(ratio, 3), "span": span, "met": met}


def failures(outcome: dict, name: str) -> int:
    return sum(
        each["failure"] is not None and each["tool"].startswith(name)
        for row in outcome["rows"].values()
        for each in row["samples"]
    )


def laid_out(value, depth: int = 0) -> str:
    """JSON in which whatever holds no other container stands on one line: a line a sample."""
    nested = isinstance(value, (dict, list)) and any(
        isinstance(each, (dict, list)) for each in (value.values() if isinstance(value, dict) else value)
    )
    if not nested:
        return json.dumps(value, ensure_ascii=False)
    inside = "  " * (depth + 1)
    if isinstance(value, dict):
        parts = [f"{json.dumps(key, ensure_ascii=False)}: {laid_out(each, depth + 1)}" for key, each in value.items()]
    else:
        parts = [laid_out(each, depth + 1) for each in value]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    return begin + "\n" + ",\n".join(inside + part for part in parts) + "\n" + "  " * depth + end
