"""The rows for objects of a store: one large object, and many small ones, up and down."""

import contextlib
import pathlib

from content import Site
from measure import Measurer
from rows import JOBS, Contender, Goal, Row
from server import Server
from store import BUCKET, ENVIRONMENT, Store
from tools import Objects, Tool


class ObjectRow(Row):
    """The tools that know stores, with the keys in their environment."""

    def measure(self, tools: list[Tool], server: Server, site: Site, measurer: Measurer, repeat: int) -> dict:
        former = measurer.environment
        measurer.environment = {**former, **ENVIRONMENT}
        try:
            with self.prepared(tools, site, measurer):
                return super().measure(tools, server, site, measurer, repeat)
        finally:
            measurer.environment = former

    @contextlib.contextmanager
    def prepared(self, tools: list[Tool], site: Site, measurer: Measurer):
        yield

    def objects(self, store: Store) -> Objects:
        return Objects(store.endpoint, BUCKET, self.measurer.out, self.measurer.state, JOBS)

    def notes(self, tools: list[Tool]) -> list[str]:
        return ["Against SeaweedFS on loopback, which checks the signatures."]


class UploadingRow(ObjectRow):
    """Each run has an empty store."""

    def contenders(self, tool: Tool) -> list[Contender]:
        if not tool.knows_stores:
            return []

        def run(_: int) -> dict:
            with Store(self.measurer.place) as store:
                sample = self.measurer.run(self.commands(tool, store))
                if sample["failure"] is None:
                    sample["failure"] = self.mistake(store)
                return sample

        return [Contender(tool.name, not tool.is_ours, run)]

    def commands(self, tool: Tool, store: Store) -> list[list[str]]:
        raise NotImplementedError

    def mistake(self, store: Store) -> str | None:
        raise NotImplementedError


class DownloadingRow(ObjectRow):
    """All runs read from one store, which a tool has filled that is a peer of Ferry."""

    @contextlib.contextmanager
    def prepared(self, tools: list[Tool], site: Site, measurer: Measurer):
        filling = next((tool for tool in tools if tool.knows_stores and not tool.is_ours), None) or next(
            tool for tool in tools if tool.knows_stores
        )
        with Store(measurer.place) as store:
            self.store, self.site, self.measurer = store, site, measurer
            measurer.clear()
            sample = measurer.run(self.filling(filling, store))
            if sample["failure"] is not None:
                raise SystemExit(f"{filling.name} did not fill the store: {sample['failure']}")
            yield

    def filling(self, tool: Tool, store: Store) -> list[list[str]]:
        raise NotImplementedError

    def contenders(self, tool: Tool) -> list[Contender]:
        if not tool.knows_stores:
            return []

        def run(_: int) -> dict:
            sample = self.measurer.run(self.commands(tool, self.store))
            if sample["failure"] is None:
                sample["failure"] = self.mistake(self.measurer.out)
            return sample

        return [Contender(tool.name, not tool.is_ours, run)]

    def commands(self, tool: Tool, store: Store) -> list[list[str]]:
        raise NotImplementedError

    def mistake(self, folder: pathlib.Path) -> str | None:
        raise NotImplementedError


GOALS = [Goal("wall", "wall ≤ the best peer", "best", 1), Goal("cpu", "CPU ≤ the best peer", "best", 1)]


class ObjectUp(UploadingRow):
    name = "object-up"
    title = "one object of 2 GiB, up"
    goals = GOALS

    def commands(self, tool: Tool, store: Store) -> list[list[str]]:
        return tool.object_up(self.objects(store), self.site.file("large.bin"))

    def mistake(self, store: Store) -> str | None:
        return store.mistake("large.bin", self.site.file("large.bin"))


class ObjectDown(DownloadingRow):
    name = "object-down"
    title = "one object of 2 GiB, down"
    goals = GOALS

    def filling(self, tool: Tool, store: Store) -> list[list[str]]:
        return tool.object_up(self.objects(store), self.site.file("large.bin"))

    def commands(self, tool: Tool, store: Store) -> list[list[str]]:
        return tool.object_down(self.objects(store), "large.bin")

    def mistake(self, folder: pathlib.Path) -> str | None:
        return self.site.mistake("large.bin", folder / "large.bin")


class ObjectsUp(UploadingRow):
    name = "objects-up"
    title = "10,000 objects of 4 KiB, up"
    goals = GOALS

    def commands(self, tool: Tool, store: Store) -> list[list[str]]:
        return tool.objects_up(self.objects(store), self.site.root, self.site.small_files())

    def mistake(self, store: Store) -> str | None:
        return store.mistake_among(self.site.small_files(), self.site.root)


class ObjectsDown(DownloadingRow):
    name = "objects-down"
    title = "10,000 objects of 4 KiB, down"
    goals = GOALS

    def filling(self, tool: Tool, store: Store) -> list[list[str]]:
        return tool.objects_up(self.objects(store), self.site.root, self.site.small_files())

    def commands(self, tool: Tool, store: Store) -> list[list[str]]:
        return tool.objects_down(self.objects(store), self.measurer.place, self.site.small_files())

    def mistake(self, folder: pathlib.Path) -> str | None:
        return self.site.mistake_among(self.site.small_files(), folder)

    def notes(self, tools: list[Tool]) -> list[str]:
        return super().notes(tools) + ["Ferry is given a list of the objects; the others list them at the store."]


OBJECT_ROWS: list[Row] = [ObjectUp(), ObjectDown(), ObjectsUp(), ObjectsDown()]
