"""The rows of the comparison: the work, the tools that do it, and the goals for Ferry."""

import collections.abc
import dataclasses
import sys

from content import Site
from measure import Measurer
from server import CONNECTIONS, WHOLE_RATE, Server
from tools import Lists, Tool, Work

JOBS = 16
BYTE_RUNS = 10


@dataclasses.dataclass(frozen=True)
class Goal:
    """What Ferry's figure has to stay below: `factor` times that of `against`, or `limit` by itself.

    `against` is a contender, "ideal", or "best" for the best peer. Without a factor nothing is asked: the figures are
    put side by side.
    """

    metric: str
    text: str
    against: str | None = None
    factor: float | None = None
    limit: float | None = None
    # Whether the ratio has to be kept in each round and not only by the medians.
    in_every_round: bool = False


@dataclasses.dataclass(frozen=True)
class Contender:
    name: str
    is_peer: bool
    run: collections.abc.Callable[[int], dict]


class Row:
    name = ""
    title = ""
    goals: list[Goal] = []

    def measure(self, tools: list[Tool], server: Server, site: Site, measurer: Measurer, repeat: int) -> dict:
        """Runs all contenders in turn, again and again; who comes first changes from round to round."""
        self.server, self.site, self.measurer = server, site, measurer
        contenders = [contender for tool in tools for contender in self.contenders(tool)]
        samples = []
        for number in range(self.rounds(repeat)):
            first = number % len(contenders)
            for contender in contenders[first:] + contenders[:first]:
                measurer.clear()
                sample = {"tool": contender.name, "round": number, **contender.run(number)}
                samples.append(sample)
                print(line(self.name, sample), file=sys.stderr)
        measurer.tidy()
        return {
            "title": self.title,
            "goals": [dataclasses.asdict(goal) for goal in self.goals],
            "peers": [contender.name for contender in contenders if contender.is_peer],
            "notes": self.notes(tools),
            "samples": samples,
            **self.more(),
        }

    def rounds(self, repeat: int) -> int:
        return repeat

    def contenders(self, tool: Tool) -> list[Contender]:
        raise NotImplementedError

    def notes(self, tools: list[Tool]) -> list[str]:
        return []

    def more(self) -> dict:
        return {}

    def fetched(self, commands: list[list[str]], work: Work, name: str) -> dict:
        """Runs the commands and looks at the file; a wrong file is a failure whatever the tool says."""
        sample = self.measurer.run(commands)
        if sample["failure"] is None:
            sample["failure"] = self.site.mistake(name, work.path)
        return sample


class OneFile(Row):
    """One file, over one of the server's doors."""

    door = "plain"
    file = "large.bin"
    connections = 1
    has_digest = False

    def work(self) -> Work:
        self.site.file(self.file)
        return Work(
            url=self.server.url(self.door, self.file), folder=self.measurer.out, state=self.measurer.state,
            name=self.file, size=self.site.size(self.file), connections=self.connections,
            authority=self.server.authority if self.door == "tls" else None,
            digest=self.site.digest(self.file) if self.has_digest else None,
        )

    def contenders(self, tool: Tool) -> list[Contender]:
        work = self.work()
        commands = tool.file(work)
        if commands is None or not self.takes(tool):
            return []
        is_peer = tool.is_peer and not tool.is_ours
        # Made anew for each run: what a tool is given may lie in a folder that is cleared in between.
        return [Contender(self.label(tool), is_peer, lambda _: self.fetched(tool.file(work), work, self.file))]

    def label(self, tool: Tool) -> str:
        return tool.name

    def takes(self, tool: Tool) -> bool:
        return True


class PlainFile(OneFile):
    name = "file"
    title = "one 2 GiB file, HTTP, to disk"
    goals = [
        Goal("cpu", "CPU ≤ the best peer in every round", "best", 1, in_every_round=True),
        Goal("wall", "wall ≤ the best peer in every round", "best", 1, in_every_round=True),
        Goal("cpu", "CPU ≤ 1.25 × floor", "floor", 1.25),
    ]


class EncryptedFile(OneFile):
    name = "tls"
    title = "the same over TLS"
    door = "tls"
    goals = [Goal("cpu", "CPU ≤ 0.7 × curl", "curl", 0.7), Goal("wall", "—", "best")]


class PacedFile(OneFile):
    name = "limited"
    title = "1 GiB, 20 MB/s a connection, 16 connections"
    door = "paced"
    file = "half.bin"
    connections = CONNECTIONS
    goals = [Goal("wall", "wall ≤ 1.03 × ideal", "ideal", 1.03), Goal("cpu", "—", "best")]

    def takes(self, tool: Tool) -> bool:
        return tool.splits

    def fetched(self, commands: list[list[str]], work: Work, name: str) -> dict:
        since = self.server.log_length()
        sample = super().fetched(commands, work, name)
        # Bytes that a connection is still sending when another takes over its part are of no use.
        return {**sample, "again": self.server.sent(since) - work.size}

    def notes(self, tools: list[Tool]) -> list[str]:
        return ["wget2 is given 16 threads and pieces of a sixteenth."]

    def more(self) -> dict:
        return {"ideal": {"wall": self.site.size(self.file) / WHOLE_RATE}}


class TwoServers(PacedFile):
    """The first address is the slower server's: a tool that does not ask the other one takes four times the ideal."""

    name = "sources"
    title = "1 GiB from two servers of 80 and 240 MB/s, no digest"
    door = "slow"
    connections = 2
    goals = [Goal("wall", "wall ≤ 1.1 × ideal", "ideal", 1.1), Goal("wall", "—", "best")]

    def work(self) -> Work:
        return dataclasses.replace(super().work(), mirror=self.server.url("fast", self.file))

    def takes(self, tool: Tool) -> bool:
        return tool.takes_mirrors

    def notes(self, tools: list[Tool]) -> list[str]:
        return ["Each server gets one connection at a time; axel is only told to use two in all."]


class VerifiedFile(OneFile):
    name = "digest"
    title = "2 GiB whose SHA-256 is known"
    has_digest = True
    goals = [Goal("cpu", "—", "best"), Goal("wall", "—", "best")]

    def label(self, tool: Tool) -> str:
        return "curl, sha256sum" if tool.name == "curl" else tool.name


class SmallFiles(Row):
    name = "small"
    title = "10,000 files of 4 KiB"
    goals = [
        Goal("wall", "wall ≤ wget2", "wget2", 1), Goal("cpu", "CPU ≤ 1.5 × wget2", "wget2", 1.5),
        Goal("wall", "wall ≤ aria2 / 5", "aria2", 0.2),
    ]

    def contenders(self, tool: Tool) -> list[Contender]:
        return self.contender(tool.name, tool, self.paths())

    def paths(self) -> list[str]:
        return self.site.small_files()

    def contender(self, name: str, tool: Tool, paths: list[str]) -> list[Contender]:
        """The tool under a name, with a list of these files; nothing when it takes no lists."""
        lists = self.lists(paths)
        commands = tool.files(lists)
        if commands is None:
            return []

        def run(_: int) -> dict:
            sample = self.measurer.run(commands)
            if sample["failure"] is None:
                sample["failure"] = self.site.mistake_among(paths, lists.folder)
            return {**sample, "each": round(sample["wall"] / len(paths), 9)}

        return [Contender(name, not tool.is_ours, run)]

    def lists(self, paths: list[str]) -> Lists:
        addresses = self.measurer.place / f"addresses-{len(paths)}"
        options = self.measurer.place / f"options-{len(paths)}"
        urls = [self.server.url("plain", path) for path in paths]
        addresses.write_text("".join(f"{url}\n" for url in urls))
        options.write_text("".join(f'url = "{url}"\nremote-name\n' for url in urls))
        return Lists(addresses, options, self.measurer.out, self.measurer.state, JOBS)

    def notes(self, tools: list[Tool]) -> list[str]:
        return [f"{len(self.paths())} files, {JOBS} at a time."]


class MediumFiles(SmallFiles):
    name = "medium"
    title = "1,000 files of 1 MiB, HTTP"
    goals = [Goal("cpu", "CPU ≤ the best peer", "best", 1), Goal("wall", "wall ≤ the best peer", "best", 1)]

    def paths(self) -> list[str]:
        return self.site.medium_files()


class LongList(SmallFiles):
    """Ferry alone: whether memory and time per file stay the same when a list is ten times as long."""

    name = "long"
    title = "100,000 files of 1 KiB from one list"
    goals = [
        Goal("peak", "memory ≤ 64 MiB", limit=64 << 20),
        Goal("each", "time per file ≤ 1.2 × that for 10,000", "ferry, 10,000 files", 1.2),
    ]

    def contenders(self, tool: Tool) -> list[Contender]:
        if not tool.is_ours:
            return []
        paths = self.paths()
        tenth = paths[: len(paths) // 10]
        return self.contender(tool.name, tool, paths) + self.contender(f"{tool.name}, 10,000 files", tool, tenth)

    def paths(self) -> list[str]:
        return self.site.tree_files()


class OneByte(OneFile):
    name = "byte"
    title = "one byte, start to finish"
    file = "byte.bin"
    goals = [
        Goal("wall", "≤ 30 ms", limit=0.030), Goal("wall", "wall ≤ 2 × curl", "curl", 2), Goal("wall", "—", "best"),
    ]

    def rounds(self, repeat: int) -> int:
        return repeat * BYTE_RUNS

    def takes(self, tool: Tool) -> bool:
        return tool.is_peer

    def contenders(self, tool: Tool) -> list[Contender]:
        found = super().contenders(tool)
        if not tool.is_ours:
            return found
        # Usually there is a store already; the very first time one is made.
        kept = dataclasses.replace(self.work(), state=self.measurer.kept_state / tool.name)
        return [
            Contender(tool.name, False, lambda _: self.fetched(tool.file(kept), kept, self.file)),
            *(Contender(f"{tool.name}, new store", False, each.run) for each in found),
        ]


class Kill(Row):
    name = "kill"
    title = "1 GiB at 320 MB/s, kill -9 on the way, then again"
    file = "half.bin"
    goals = [Goal("worth", "≤ 1 s worth fetched again, at worst", limit=1)]

    def contenders(self, tool: Tool) -> list[Contender]:
        if not tool.is_peer or tool.file(self.work(tool)) is None:
            return []
        return [Contender(tool.name, not tool.is_ours, lambda number: self.killed(tool, number))]

    def work(self, tool: Tool) -> Work:
        # wget2 does not say what --continue means together with pieces.
        splits = tool.splits and tool.name != "wget2"
        self.site.file(self.file)
        return Work(
            url=self.server.url("paced" if splits else "whole", self.file), folder=self.measurer.out,
            state=self.measurer.state, name=self.file, size=self.site.size(self.file),
            connections=CONNECTIONS if splits else 1,
        )

    def killed(self, tool: Tool, number: int) -> dict:
        work = self.work(tool)
        # Another moment in each round: from 0.3 to 0.7 of the time that the whole takes at best.
        moment = (0.3 + 0.4 * (number * 0.618 % 1)) * work.size / WHOLE_RATE
        since = self.server.log_length()
        lasted = self.measurer.kill_after(tool.file(work)[0], moment)
        before = self.server.sent(since)
        sample = self.fetched(tool.file(dataclasses.replace(work, resuming=True)), work, self.file)
        again = self.server.sent(since) - work.size
        if lasted is None:
            sample["failure"] = "it ended before it was killed"
        elif before == 0:
            sample["failure"] = "it was killed before the server had sent anything"
        else:
            sample |= {"before": before, "again": again, "worth": round(again * lasted / before, 4)}
        return sample

    def notes(self, tools: list[Tool]) -> list[str]:
        return [
            "Tools that can use several connections have 16 of 20 MB/s; the others have one of 320 MB/s. The extra bytes"
            " are what the server sent beyond the file's length, with the bytes that were on their way at the kill. Time and memory"
            " are those of the second command."
        ]


class Upload(Row):
    name = "upload"
    title = "one PUT of 2 GiB, HTTP"
    file = "large.bin"
    goals = [
        Goal("cpu", "CPU ≤ curl -T", "curl", 1), Goal("wall", "wall ≤ curl -T", "curl", 1),
        Goal("peak", "memory ≤ 64 MiB", limit=64 << 20),
    ]

    def contenders(self, tool: Tool) -> list[Contender]:
        source = self.site.file(self.file)
        work = Work(
            url=self.server.url("inbox", self.file), folder=self.server.inbox, state=self.measurer.state,
            name=self.file, size=self.site.size(self.file),
        )
        commands = tool.upload(work, source)
        if commands is None:
            return []

        def run(_: int) -> dict:
            work.path.unlink(missing_ok=True)
            sample = self.measurer.run(commands)
            if sample["failure"] is None:
                sample["failure"] = self.site.mistake(self.file, work.path)
            return sample

        return [Contender(tool.name, not tool.is_ours, run)]


class SmallRequests(Row):
    name = "requests"
    title = "10,000 small POSTs"
    goals = [Goal("wall", "wall ≤ curl --parallel, which records nothing", "curl", 1)]

    def contenders(self, tool: Tool) -> list[Contender]:
        numbers = [str(number) for number in range(self.site.count)]
        lists = self.lists(numbers)
        commands = tool.requests(lists)
        if commands is None:
            return []

        def run(_: int) -> dict:
            since = self.server.requests.stat().st_size
            sample = self.measurer.run(commands)
            if sample["failure"] is None:
                missing = len(set(numbers) - self.server.requested(since))
                sample["failure"] = f"{missing} requests did not arrive" if missing else None
            return sample

        return [Contender(tool.name, not tool.is_ours, run)]

    def lists(self, numbers: list[str]) -> Lists:
        requests = self.measurer.place / "requests"
        options = self.measurer.place / "request-options"
        url = self.server.url("inbox", "orders")
        line = '{{"method":"POST","url":"{0}?number={1}","data":"order {1}"}}\n'
        requests.write_text("".join(line.format(url, number) for number in numbers))
        entry = 'url = "{0}?number={1}"\ndata = "order {1}"\noutput = "/dev/null"\nfail\nsilent\nshow-error\n'
        options.write_text("next\n".join(entry.format(url, number) for number in numbers))
        return Lists(requests, options, self.measurer.out, self.measurer.state, JOBS)

    def notes(self, tools: list[Tool]) -> list[str]:
        return [f"{self.site.count} requests, {JOBS} at a time. Ferry records each before it sends it, and its response."]


ROWS: list[Row] = [
    PlainFile(), EncryptedFile(), PacedFile(), TwoServers(), MediumFiles(), SmallFiles(), LongList(), OneByte(), Kill(),
    VerifiedFile(), Upload(), SmallRequests(),
]


def line(row: str, sample: dict) -> str:
    figures = f"{sample['cpu']:8.3f} s CPU  {sample['wall']:8.3f} s  {sample['peak'] / (1 << 20):7.1f} MiB"
    again = f"  {sample['again'] / 1e6:.1f} MB again" if "again" in sample else ""
    failure = f"  FAILED: {sample['failure']}" if sample["failure"] else ""
    return f"{row:12} {sample['tool']:16} {figures}{again}{failure}"
