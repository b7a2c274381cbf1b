"""The rows for mirrors: 100,000 small files of a store, or of a server's pages, copied for the first time and looked at again."""

import contextlib

from content import Site
from measure import Measurer
from objects import GOALS, ObjectRow
from rows import JOBS, Contender, Goal, Row
from store import Store
from tools import Tool, Work

PREFIX = "tree/"


class MirrorRow(Row):
    """A folder is made equal to a source. In a second run, nothing has changed."""

    is_second = False
    goals = GOALS + [Goal("peak", "memory ≤ 128 MiB", limit=128 << 20)]

    def commands(self, tool: Tool) -> list[list[str]] | None:
        raise NotImplementedError

    def contenders(self, tool: Tool) -> list[Contender]:
        commands = self.commands(tool)
        if commands is None:
            return []

        def run(_: int) -> dict:
            sample = self.measurer.run(commands)
            if self.is_second and sample["failure"] is None:
                sample = self.measurer.run(commands)
            if sample["failure"] is None:
                sample["failure"] = self.site.mistake_in_tree(self.measurer.out)
            return sample

        return [Contender(tool.name, not tool.is_ours, run)]


class StoreMirror(MirrorRow, ObjectRow):
    """All runs read from one store, which a peer of Ferry has filled."""

    name = "mirror-store"
    title = "100,000 objects of 1 KiB in 100 folders, first copy"

    @contextlib.contextmanager
    def prepared(self, tools: list[Tool], site: Site, measurer: Measurer):
        filling = next((tool for tool in tools if tool.name in ("s5cmd", "rclone")), None)
        if filling is None:
            raise SystemExit("The row needs s5cmd or rclone, which fills the store.")
        with Store(measurer.place) as store:
            self.store, self.measurer = store, measurer
            measurer.clear()
            sample = measurer.run(filling.tree_up(self.objects(store), site.tree()))
            if sample["failure"] is not None:
                raise SystemExit(f"{filling.name} did not fill the store: {sample['failure']}")
            yield

    def commands(self, tool: Tool) -> list[list[str]] | None:
        return tool.store_mirror(self.objects(self.store), PREFIX)


class StoreMirrorAgain(StoreMirror):
    name = "mirror-store-again"
    title = "100,000 objects of 1 KiB in 100 folders, unchanged"
    is_second = True


class PageMirror(MirrorRow):
    name = "mirror-pages"
    title = "100,000 files of 1 KiB in 100 folders by nginx's pages, first copy"

    def commands(self, tool: Tool) -> list[list[str]] | None:
        self.site.tree()
        work = Work(
            url=self.server.url("plain", PREFIX), folder=self.measurer.out, state=self.measurer.state, name="",
            size=0, connections=JOBS,
        )
        return tool.page_mirror(work)


class PageMirrorAgain(PageMirror):
    name = "mirror-pages-again"
    title = "100,000 files of 1 KiB in 100 folders by nginx's pages, unchanged"
    is_second = True


MIRROR_ROWS: list[Row] = [StoreMirror(), StoreMirrorAgain(), PageMirror(), PageMirrorAgain()]
