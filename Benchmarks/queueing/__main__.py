"""Measures a store with a great many transfers. Benchmarks/queue prepares everything and runs this; see there."""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import rows
from table import table

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "Benchmarks" / "comparison"))
import machine  # noqa: E402
import marks  # noqa: E402

FULL_COUNT = 1_000_000
RESULTS = ROOT / "Benchmarks" / "queue-results.json"
DOCUMENT = ROOT / "docs" / "PERFORMANCE.md"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Benchmarks/queue", add_help=False, allow_abbrev=False)
    parser.add_argument("crowds", nargs="*", metavar="CROWD")
    parser.add_argument("--program", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=FULL_COUNT)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    for crowd in chosen.crowds:
        if crowd not in rows.NAMES:
            parser.error(f"there is no crowd '{crowd}', but: {', '.join(rows.NAMES)}")
    if chosen.count < 1000 or chosen.repeat < 1:
        parser.error("at least 1000 transfers, and one round")
    is_whole = chosen.count == FULL_COUNT and not chosen.crowds
    if chosen.write and not is_whole:
        parser.error("only results of full size, with every crowd, are written into the documents")
    chosen.crowds = [crowd for crowd in rows.NAMES if not chosen.crowds or crowd in chosen.crowds]
    if chosen.json is None and (chosen.table or is_whole):
        chosen.json = RESULTS
    return chosen


def measured(chosen: argparse.Namespace) -> dict:
    with tempfile.TemporaryDirectory(prefix="ferry-queue-") as folder:
        place = pathlib.Path(folder)
        begin = datetime.datetime.now(datetime.timezone.utc)
        load = os.getloadavg()[0]
        rounds = []
        for number in range(chosen.repeat):
            print(f"Round {number + 1} of {chosen.repeat}…", file=sys.stderr)
            rounds.append(rows.samples(chosen.program, place, chosen.count, chosen.crowds))
        return {
            "machine": machine.facts(place),
            "date": begin.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "ferry": machine.revision(ROOT),
            "count": chosen.count,
            "repeat": chosen.repeat,
            "samples": rounds,
            "medians": rows.medians(rounds),
            "load": {"before": round(load, 2), "after": round(os.getloadavg()[0], 2)},
        }


def main() -> None:
    chosen = arguments()
    if chosen.table:
        if not chosen.json.exists():
            sys.exit(f"There are no results in {chosen.json} yet.")
        outcome = json.loads(chosen.json.read_text())
    else:
        outcome = measured(chosen)
        if chosen.json is not None:
            chosen.json.write_text(json.dumps(outcome, indent=1) + "\n")
    print(table(outcome))
    if chosen.write:
        marks.put(DOCUMENT, "queue", table(outcome))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
    except subprocess.CalledProcessError as failure:
        sys.exit(f"{' '.join(failure.cmd)} ended with {failure.returncode}.")
