"""The rows for commands on a store of a million transfers. Ferry alone: no peer keeps such a list."""

import json
import pathlib
import subprocess

from content import FULL_SIZE
from rows import BYTE_RUNS, Contender, Goal, Row
from tools import Command, Ferry, Tool

FULL_COUNT = 1_000_000
HOSTS = 7
PAGE = 100


class MillionRow(Row):
    """All runs of both rows use one store, which Ferry has filled from a list."""

    goals = [Goal("wall", "≤ 25 ms", limit=0.025)]

    def contenders(self, tool: Tool) -> list[Contender]:
        if not isinstance(tool, Ferry):
            return []
        self.fill(tool)

        def run(number: int) -> dict:
            sample = self.measurer.run([self.line(tool, number)])
            if sample["failure"] is None:
                sample["failure"] = self.mistake(tool, number)
            return sample

        return [Contender(tool.name, False, run)]

    def rounds(self, repeat: int) -> int:
        return repeat * BYTE_RUNS

    def count(self) -> int:
        return max(1_000, FULL_COUNT * self.site.sizes["large.bin"] // FULL_SIZE)

    def store(self, tool: Ferry) -> pathlib.Path:
        """Each build of Ferry has a store of its own."""
        return self.measurer.place / "million" / tool.name

    def fill(self, tool: Ferry) -> None:
        """Adds all transfers, unless a row before has done so."""
        store = self.store(tool)
        if store.exists():
            return
        place = store.parent
        place.mkdir(exist_ok=True)
        addresses = place / "addresses"
        with open(addresses, "w") as file:
            file.writelines(f"http://host-{number % HOSTS}.example/{number}.bin\n" for number in range(self.count()))
        self.measurer.clear()
        sample = self.measurer.run([tool.command("add", store, "-q", "-d", str(place), "-i", str(addresses))])
        addresses.unlink()
        if sample["failure"] is not None:
            raise SystemExit(f"{tool.name} did not fill the store: {sample['failure']}")

    def listed(self, tool: Ferry, *words: str) -> list[dict]:
        """What `ferry list` or `ferry show` prints for programs."""
        command = tool.command(words[0], self.store(tool), *words[1:], "--json")
        done = subprocess.run(command, env=self.measurer.environment, capture_output=True, text=True)
        return [json.loads(each) for each in done.stdout.splitlines()] if done.returncode == 0 else []

    def line(self, tool: Ferry, number: int) -> Command:
        raise NotImplementedError

    def mistake(self, tool: Ferry, number: int) -> str | None:
        raise NotImplementedError

    def notes(self, tools: list[Tool]) -> list[str]:
        return [f"{self.count()} queued transfers to {HOSTS} hosts."]


class MillionListed(MillionRow):
    name = "list"
    title = "`ferry list --limit 100`, 1,000,000 queued"

    def line(self, tool: Ferry, number: int) -> Command:
        return tool.command("list", self.store(tool), "--limit", str(PAGE))

    def mistake(self, tool: Ferry, number: int) -> str | None:
        found = [each.get("id") for each in self.listed(tool, "list", "--limit", str(PAGE))]
        return None if found == list(range(1, PAGE + 1)) else "not the first page"


class MillionPaused(MillionRow):
    """Pauses another transfer in each run, all of them in the middle of the store."""

    name = "pause"
    title = "`ferry pause ID`, 1,000,000 queued"

    def line(self, tool: Ferry, number: int) -> Command:
        return tool.command("pause", self.store(tool), self.id(number))

    def id(self, number: int) -> str:
        return str(self.count() // 2 + number)

    def mistake(self, tool: Ferry, number: int) -> str | None:
        found = [each.get("state") for each in self.listed(tool, "show", self.id(number))]
        return None if found == ["paused"] else "the transfer is not paused"


MILLION_ROWS: list[Row] = [MillionListed(), MillionPaused()]
