"""What is measured of a store with a great many transfers."""

import pathlib
import shutil
from statistics import median

import load

CROWDS = {
    "even": "one queue, seven hosts",
    "fullHost": "nine tenths, at the front, are for a host whose slots are full",
    "fullQueue": "nine tenths, at the front, are in a queue whose slots are full",
    "manyHosts": "a host for each",
}
PROCESSES = 3
PAGES = ("all", "unfinished", "queued")


def samples(program: pathlib.Path, place: pathlib.Path, count: int, crowds: list[str]) -> dict[str, dict]:
    """One round: every figure once, by the name of its row."""
    found: dict[str, dict] = {}
    for crowd in crowds:
        store = place / crowd
        added = load.run(program, store, "add", crowd, count)
        found[f"add {crowd}"] = {"rate": count / added["in store"], "cpu each": added["cpu"] / count, **added}
        if crowd == "even":
            found["look"] = load.run(program, store, "look", count)
        rounds = max(1, min(1000, count // 100 // 16))
        found[f"claim {crowd}"] = load.run(program, store, "claim", crowd, rounds)
        if crowd == "even":
            found["complete"] = completed(program, store, count // 10)
            found["prune"] = load.run(program, store, "prune", 1000)
        shutil.rmtree(store)
    return found


def completed(program: pathlib.Path, store: pathlib.Path, count: int) -> dict:
    """What several processes complete together."""
    parts = load.together(program, store, PROCESSES, "complete", count // PROCESSES)
    done = sum(part["completed"] for part in parts)
    return {
        "rate": done / max(part["wall"] for part in parts),
        "cpu each": sum(part["cpu"] for part in parts) / done,
        "claim p50": median(part["claim p50"] for part in parts),
        "claim p99": max(part["claim p99"] for part in parts),
        "claim max": max(part["claim max"] for part in parts),
        "peak": max(part["peak"] for part in parts),
    }


def medians(rounds: list[dict[str, dict]]) -> dict[str, dict]:
    """The median of each figure over the rounds; of memory the most."""
    return {
        row: {
            name: (max if name == "peak" else median)(each[row][name] for each in rounds) for name in figures
        }
        for row, figures in rounds[0].items()
    }
