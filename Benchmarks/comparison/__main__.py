"""Measures Ferry beside its peers. Benchmarks/compare prepares everything and runs this; see there."""

import argparse
import datetime
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

import machine
import marks
import report
import results
from measure import Measurer
from million import MILLION_ROWS
from mirrors import MIRROR_ROWS
from objects import OBJECT_ROWS
from rows import ROWS as PLAIN_ROWS
from server import Server
from content import Site
from tools import TOOLS, FormerFerry, surroundings

ROOT = pathlib.Path(__file__).resolve().parents[2]
FULL_SIZE = 2 << 30
ROWS = PLAIN_ROWS + MILLION_ROWS + OBJECT_ROWS + MIRROR_ROWS
RESULTS = ROOT / "Benchmarks" / "results.json"
DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "PERFORMANCE.md"]


def byte_count(text: str) -> int:
    """A number of bytes, such as 64M or 2G, in powers of 1024."""
    units = {"K": 10, "M": 20, "G": 30}
    unit = units.get(text[-1:].upper())
    count = int(text[:-1] if unit else text) << (unit or 0)
    if count < 1 << 20:
        raise argparse.ArgumentTypeError("at least 1M")
    return count


def positive(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("at least 1")
    return count


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Benchmarks/compare", add_help=False, allow_abbrev=False)
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--row", nargs="+", action="extend", default=[], metavar="ROW")
    parser.add_argument("--tool", nargs="+", action="extend", default=[], choices=[tool.name for tool in TOOLS])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--repeat", type=positive, default=5)
    parser.add_argument("--size", type=byte_count, default=FULL_SIZE)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    known = [row.name for row in ROWS]
    named = chosen.rows + chosen.row
    for name in named:
        if name not in known:
            parser.error(f"there is no row '{name}'; --list names them")
    if chosen.write and (chosen.size != FULL_SIZE or chosen.tool):
        parser.error("only results of full size, with all tools, are written into the documents")
    if chosen.write and "FERRY_BEFORE" in os.environ:
        parser.error("results beside another build of Ferry are not written into the documents")
    chosen.rows = [row for row in ROWS if not named or row.name in named]
    is_whole = chosen.size == FULL_SIZE and not chosen.tool and "FERRY_BEFORE" not in os.environ
    if chosen.json is None and (chosen.table or is_whole):
        chosen.json = RESULTS
    return chosen


def measured(chosen: argparse.Namespace) -> dict:
    """The results of the chosen rows, in the form in which they are kept."""
    with tempfile.TemporaryDirectory(prefix="ferry-compare-") as folder:
        place = pathlib.Path(folder)
        environment = surroundings(place)
        tools = [tool(environment) for tool in TOOLS if not chosen.tool or tool.name in [*chosen.tool, "ferry"]]
        if "FERRY_BEFORE" in environment:
            tools.append(FormerFerry(environment))
        for tool in tools:
            if tool.version is None:
                print(f"{tool.name} is not there and is left out.", file=sys.stderr)
        tools = [tool for tool in tools if tool.version is not None]
        outcome = {
            "machine": machine.facts(place),
            "tools": {tool.name: tool.version for tool in tools},
            "rows": {},
        }
        site = Site(place, chosen.size)
        with Server(place, site) as server:
            measurer = Measurer(place, environment)
            for row in chosen.rows:
                begin = datetime.datetime.now(datetime.timezone.utc)
                load = os.getloadavg()[0]
                outcome["rows"][row.name] = {
                    "date": begin.strftime("%Y-%m-%dT%H:%M:%SZ"),
                    "ferry": machine.revision(ROOT),
                    "size": chosen.size,
                    "repeat": chosen.repeat,
                    **row.measure(tools, server, site, measurer, chosen.repeat),
                    "load": {"before": round(load, 2), "after": round(os.getloadavg()[0], 2)},
                }
        return outcome


def main() -> int:
    chosen = arguments()
    if chosen.list:
        for row in ROWS:
            print(f"{row.name:12} {row.title}")
        return 0
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _: sys.exit(128 + received))

    if chosen.table:
        outcome = results.read(chosen.json)
        if not outcome:
            sys.exit(f"There are no results in {chosen.json} yet.")
    else:
        outcome = measured(chosen)
        if chosen.json is not None:
            outcome = results.merged(results.read(chosen.json), outcome)
            results.write(chosen.json, outcome)
    table = report.summary(outcome)
    print(table + "\n\n" + report.details(outcome))
    if chosen.write:
        if any(row["size"] != FULL_SIZE for row in outcome["rows"].values()):
            sys.exit(
                f"{chosen.json} has results of a quick try; only those of full size are written into the documents."
            )
        marks.put(DOCUMENTS[0], "compare", table)
        marks.put(DOCUMENTS[1], "compare", table + "\n\n" + report.details(outcome))
    return 1 if results.failures(outcome, "ferry") else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except subprocess.CalledProcessError as failure:
        sys.exit(f"{failure.cmd[0]} ended with {failure.returncode}:\n{failure.stderr or ''}")
