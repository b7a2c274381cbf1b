"""The files that the server offers, and whether what was fetched is the same."""

import hashlib
import os
import pathlib
import subprocess

FULL_SIZE = 2 << 30
FULL_COUNT = 10_000
MEDIUM_COUNT = 1_000
TREE_COUNT = 100_000
FOLDER_COUNT = 1_000
SMALL_SIZE = 4096
MEDIUM_SIZE = 1 << 20
LEAF_SIZE = 1024


class Site:
    """A large file, one of half its size, one of a byte, and many of 1 MiB, 4 KiB and 1 KiB; each is made when it is first
    asked for."""

    def __init__(self, place: pathlib.Path, size: int):
        self.root = place / "www"
        self.root.mkdir()
        self.sizes = {"large.bin": size, "half.bin": size // 2, "byte.bin": 1}
        self.count = max(16, FULL_COUNT * size // FULL_SIZE)
        self.medium_count = max(16, MEDIUM_COUNT * size // FULL_SIZE)
        self.leaves = max(16, TREE_COUNT * size // FULL_SIZE)

    def size(self, name: str) -> int:
        return self.sizes[name]

    def file(self, name: str) -> pathlib.Path:
        """A file of random bytes, so that nothing on the way can be saved by finding zeros or repetitions."""
        path = self.root / name
        if not path.exists():
            fill(path, self.sizes[name])
        return path

    def digest(self, name: str) -> str:
        with open(self.file(name), "rb") as file:
            sha = hashlib.sha256()
            while piece := file.read(1 << 20):
                sha.update(piece)
            return sha.hexdigest()

    def small_files(self) -> list[str]:
        return self.many("small", self.count, SMALL_SIZE)

    def medium_files(self) -> list[str]:
        return self.many("medium", self.medium_count, MEDIUM_SIZE)

    def many(self, place: str, count: int, size: int) -> list[str]:
        """The paths of many files in one folder, no two of them alike."""
        folder = self.root / place
        names = [f"{number:05}.bin" for number in range(count)]
        if not folder.exists():
            folder.mkdir()
            for name in names:
                (folder / name).write_bytes(os.urandom(size))
        return [f"{place}/{name}" for name in names]

    def tree(self) -> pathlib.Path:
        """A folder of folders of small files, no two of them alike."""
        root = self.root / "tree"
        if not root.exists():
            for number in range(self.leaves):
                path = root / f"{number // FOLDER_COUNT:03}" / f"{number:06}.bin"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(os.urandom(LEAF_SIZE))
        return root

    def tree_files(self) -> list[str]:
        """The paths of all files of the tree. No two have the same name."""
        return sorted(str(path.relative_to(self.root)) for path in self.tree().rglob("*.bin"))

    def mistake_in_tree(self, folder: pathlib.Path) -> str | None:
        """What is wrong with a copy of the tree. What a tool keeps of the server's pages does not count."""
        wanted = {path.relative_to(self.tree()) for path in self.tree().rglob("*.bin")}
        found = {path.relative_to(folder) for path in folder.rglob("*.bin")}
        wrong = wanted ^ found
        wrong |= {path for path in wanted & found if (folder / path).read_bytes() != (self.tree() / path).read_bytes()}
        return f"{len(wrong)} of {len(wanted)} files missing, wrong or too many" if wrong else None

    def mistake(self, name: str, fetched: pathlib.Path) -> str | None:
        """What is wrong with a file that was fetched; None when it is right."""
        if not fetched.exists():
            return "no file"
        size = fetched.stat().st_size
        if size != self.sizes[name]:
            return f"wrong length: {size}"
        same = subprocess.run(["cmp", "-s", self.file(name), fetched]).returncode == 0
        return None if same else "wrong bytes"

    def mistake_among(self, paths: list[str], folder: pathlib.Path) -> str | None:
        """What is wrong with many files that were fetched into a folder, under their last names."""
        wrong = 0
        for path in paths:
            fetched = folder / pathlib.PurePath(path).name
            if not fetched.exists() or fetched.read_bytes() != (self.root / path).read_bytes():
                wrong += 1
        return f"{wrong} of {len(paths)} files missing or wrong" if wrong else None


def fill(path: pathlib.Path, size: int) -> None:
    unfinished = path.with_suffix(".new")
    with open(unfinished, "wb") as file:
        while size > 0:
            piece = min(size, 1 << 24)
            file.write(os.urandom(piece))
            size -= piece
    unfinished.rename(path)
