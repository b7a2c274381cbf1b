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
TREES = {"discover": "ids in order", "scatter": "ids in no order"}
# What can be measured alone.
NAMES = [*CROWDS, "trees"]
PAGES = ("all", "unfinished", "queued")


def samples(program: pathlib.Path, place: pathlib.Path, count: int, crowds: list[str]) -> dict[str, dict]:
    """One round: every figure once, by the name of its row."""
    found: dict[str, dict] = {}
    for crowd in (crowd for crowd in CROWDS if crowd in crowds):
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
    for name in TREES if "trees" in crowds else ():
        found.update(tree(program, place / name, count, name))
    return found


def tree(program: pathlib.Path, store: pathlib.Path, count: int, name: str) -> dict[str, dict]:
    """What it takes to discover a tree of that many nodes, all marked, to walk through it and to find what is marked."""
    parts = {work: load.run(program, store, work, count) for work in (name, "walk", "search")}
    shutil.rmtree(store)
    return {
        f"{work} {name}": {"rate": count / part.get("in store", part.get("wall")), "cpu each": part["cpu"] / count, **part}
        for work, part in parts.items()
    }


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
