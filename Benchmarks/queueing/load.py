"""Runs parts of the load, each in a process of its own, and takes their figures."""

import json
import os
import pathlib
import subprocess


class Part:
    """A process that puts its part of the load on a store."""

    def __init__(self, program: pathlib.Path, store: pathlib.Path, *words: object):
        line = [str(program), str(store), *(str(word) for word in words)]
        self.process = subprocess.Popen(line, stdout=subprocess.PIPE, text=True)
        self.line = line

    def figures(self) -> dict[str, float]:
        """What it measured, with its CPU time in seconds and its peak memory in bytes."""
        said = self.process.stdout.read()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.process.returncode != 0:
            raise subprocess.CalledProcessError(self.process.returncode, self.line, said)
        return {
            **json.loads(said.splitlines()[-1]),
            "cpu": usage.ru_utime + usage.ru_stime,
            "peak": usage.ru_maxrss * 1024,
        }


def run(program: pathlib.Path, store: pathlib.Path, *words: object) -> dict[str, float]:
    return Part(program, store, *words).figures()


def together(program: pathlib.Path, store: pathlib.Path, count: int, *words: object) -> list[dict[str, float]]:
    """Several processes that begin at the same time."""
    return [part.figures() for part in [Part(program, store, *words) for _ in range(count)]]
