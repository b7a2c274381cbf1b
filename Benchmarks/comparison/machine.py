"""What a reader has to know of the machine and of the Ferry that were measured; nothing that names the machine."""

import os
import pathlib
import platform
import re
import subprocess


def facts(place: pathlib.Path) -> dict:
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": f"{platform.system()} {platform.release().partition('-')[0]}",
        "file system": file_system(place),
        "congestion control": kernel_setting("net/ipv4/tcp_congestion_control"),
    }


def processor() -> str:
    text = pathlib.Path("/proc/cpuinfo").read_text()
    found = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    return found[1].strip() if found else platform.machine()


def file_system(place: pathlib.Path) -> str:
    """The type of the file system that the files of the run lie on."""
    best = ("", "unknown")
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        _, point, kind = line.split()[:3]
        inside = os.path.commonpath([point, place.resolve()]) == point
        if inside and len(point) >= len(best[0]):
            best = (point, kind)
    return best[1]


def kernel_setting(name: str) -> str:
    setting = pathlib.Path("/proc/sys") / name
    return setting.read_text().strip() if setting.exists() else "unknown"


def revision(root: pathlib.Path) -> str:
    """The commit that this tree is at, and whether its sources differ from it; FERRY_REVISION where another binary was
    given."""
    if given := os.environ.get("FERRY_REVISION"):
        return given

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", root, *words], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else ""

    commit = git("rev-parse", "--short", "HEAD") or "unknown"
    changed = git("status", "--porcelain", "--", "Sources", "Package.swift")
    return f"{commit}, changed" if changed else commit
