"""Runs one contender once and says what that cost."""

import os
import pathlib
import shutil
import subprocess
import time

LIMIT_SECONDS = 1800
# A folder with more files than this is kept, without their bytes, until all rows are measured.
FEW_FILES = 8


class Measurer:
    """Gives every run an empty folder to fetch into and an empty one for what the tool keeps."""

    def __init__(self, place: pathlib.Path, environment: dict[str, str]):
        self.place = place
        self.environment = environment
        self.out = place / "out"
        self.state = place / "state"
        # What outlives a run, for work that is measured with a store that is there already.
        self.kept_state = place / "kept-state"
        self.aside = place / "aside"

    def clear(self) -> None:
        """Makes new folders for the next run."""
        for folder in (self.out, self.state):
            self.put_away(folder)
            folder.mkdir()

    def tidy(self) -> None:
        """Puts away all that the runs of a row left."""
        for folder in (self.out, self.state, self.kept_state):
            self.put_away(folder)

    def put_away(self, folder: pathlib.Path) -> None:
        """Removes a folder of few files, their dirty pages with them. Of many files only the bytes are removed.

        ext4 without a journal does not reuse an inode for some minutes after its file was deleted. Until then, each
        new file has to search past all of these inodes, and the next run would pay for that. So the files stay, empty
        and in a folder that no tool uses, until the whole place is removed.
        """
        paths = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names]
        files = [path for path in paths if os.path.isfile(path) and not os.path.islink(path)]
        if len(files) <= FEW_FILES:
            shutil.rmtree(folder, ignore_errors=True)
            return
        for path in files:
            os.truncate(path, 0)
        self.aside.mkdir(exist_ok=True)
        folder.rename(self.aside / str(len(os.listdir(self.aside))))

    def run(self, commands: list[list[str]]) -> dict:
        """Runs commands one after the other, up to the first that fails, and adds up what they took."""
        sample = {"wall": 0.0, "user": 0.0, "system": 0.0, "peak": 0, "status": 0, "failure": None}
        for command in commands:
            wall, user, system, peak, status = self.measured(command)
            sample["wall"] = round(sample["wall"] + wall, 6)
            sample["user"] = round(sample["user"] + user, 6)
            sample["system"] = round(sample["system"] + system, 6)
            sample["peak"] = max(sample["peak"], peak)
            if status != 0:
                sample["status"] = status
                sample["failure"] = f"status {status}{self.last_words()}"
                break
        sample["cpu"] = round(sample["user"] + sample["system"], 6)
        return sample

    def measured(self, command: list[str]) -> tuple[float, float, float, int, int]:
        note = self.place / "note"
        note.unlink(missing_ok=True)
        with open(self.place / "stderr", "wb") as errors:
            try:
                subprocess.run(
                    ["measure", note, *command], env=self.environment, cwd=self.out, timeout=LIMIT_SECONDS,
                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, check=True,
                )
            except subprocess.TimeoutExpired:
                return LIMIT_SECONDS, 0, 0, 0, 124
        wall, user, system, kibibytes, status = note.read_text().split()
        return float(wall), float(user), float(system), int(kibibytes) * 1024, int(status)

    def kill_after(self, command: list[str], seconds: float) -> float | None:
        """Starts a command and kills it with SIGKILL; returns how long it ran, None when it had ended by itself."""
        begin = time.monotonic()
        process = subprocess.Popen(
            command, env=self.environment, cwd=self.out,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        try:
            process.wait(timeout=seconds)
            return None
        except subprocess.TimeoutExpired:
            return time.monotonic() - begin
        finally:
            process.kill()
            process.wait()

    def last_words(self) -> str:
        """The last line that a failed command wrote, without the paths of this run."""
        lines = (self.place / "stderr").read_text(errors="replace").strip().splitlines()
        return f": {lines[-1].replace(str(self.place), '…')[:200]}" if lines else ""
