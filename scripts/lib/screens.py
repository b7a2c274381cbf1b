"""Shows what Ferry draws on a terminal: runs it in tmux, at several widths, against a server in this process, and prints the screens as a page.

    screens.py FERRY
"""

import http.server
import os
import shutil
import subprocess
import sys
import threading
import time

WIDTHS = (60, 80, 120)
ROWS = 20
MEBIBYTE = 1 << 20
# Manner: the length of a file, and the bytes a second on each connection, both in MiB.
MANNERS = {"large": (400, 8), "small": (8, 1), "stalled": (40, 8), "slow": (400, 4)}


class Site(http.server.BaseHTTPRequestHandler):
    """Files whose first path component says how they are sent."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        manner, name = self.path.strip("/").split("/", 1)
        if manner == "missing":
            return self.refuse(404)
        if manner == "busy":
            return self.refuse(503, ("Retry-After", "45"))
        length, pace = (number * MEBIBYTE for number in MANNERS[manner])
        first, last = self.requested(length)
        self.send_response(206 if "Range" in self.headers else 200)
        self.send_header("Content-Length", str(last - first))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", f'"{name}"')
        if "Range" in self.headers:
            self.send_header("Content-Range", f"bytes {first}-{last - 1}/{length}")
        self.end_headers()
        end = min(last, length * 3 // 10) if manner == "stalled" else last
        try:
            for start in range(first, end, pace // 20):
                self.wfile.write(bytes(min(pace // 20, end - start)))
                time.sleep(0.05)
            while manner == "stalled":
                time.sleep(1)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def requested(self, length):
        text = self.headers.get("Range", "bytes=0-").removeprefix("bytes=")
        first, _, last = text.partition("-")
        return int(first), int(last) + 1 if last else length

    def refuse(self, status, *fields):
        self.send_response(status)
        for field in fields:
            self.send_header(*field)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Ferry cuts connections that it no longer needs."""


# What the folder of a picture is called in it.
HOME = "/home/me"


def folder_in_place_of(shown):
    """A new folder whose path has as many letters as the one that is shown, so that lines are divided as there."""
    digits = len(shown) - len("/tmp/")
    for number in range(10**digits):
        path = f"/tmp/{number:0{digits}}"
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            continue
        return path
    raise SystemExit("No folder could be made in /tmp.")


class Screen:
    """A terminal of tmux with a shell in it."""

    def __init__(self, place, columns, ferry):
        self.place = place
        self.name = f"ferry-{os.getpid()}-{columns}-{time.monotonic_ns()}"
        shell = f"cd {place} && PATH={os.path.dirname(ferry)}:$PATH FERRY_DATA_DIR={place}/state PS1='$ ' exec bash --norc --noprofile"
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(ROWS), shell)
        time.sleep(0.5)

    def tmux(self, verb, *words):
        target = ["-s", self.name] if verb == "new-session" else ["-t", self.name]
        return subprocess.run(["tmux", verb, *target, *words], check=True, capture_output=True, text=True).stdout

    def type(self, line):
        self.tmux("send-keys", "-l", line)
        self.tmux("send-keys", "Enter")

    def press(self, key):
        self.tmux("send-keys", key)

    def text(self):
        lines = [line.rstrip() for line in self.tmux("capture-pane", "-p").splitlines()]
        return "\n".join(lines).strip("\n")

    def close(self):
        self.tmux("kill-session")


def typed(line, seconds):
    """A scene of one command line, some seconds after it was typed."""

    def scene(screen, site):
        screen.type(line.format(site=site))
        time.sleep(seconds)

    return scene


def thirty_files(screen, site):
    with open(f"{screen.place}/list.txt", "w", encoding="ascii") as file:
        for number in range(1, 31):
            file.write(f"{site}/small/photo-{number:02}.tiff\n")
    screen.type("ferry get -i list.txt")
    time.sleep(11)


def watch(screen, site):
    screen.type(f"ferry add {site}/large/a.iso {site}/busy/b.iso {site}/large/c.iso >ids; (ferry run -q -j 1 &) ; clear")
    time.sleep(1)
    screen.type(f"ferry add --queue night {site}/large/d.iso >ids; ferry pause 3; clear; ferry watch")
    time.sleep(7)


def show(screen, site):
    screen.type(f"ferry get -x 4 {site}/slow/image.iso")
    time.sleep(8)
    screen.press("C-c")
    time.sleep(1.5)
    screen.type("clear; ferry show 1")
    time.sleep(1)


SCENES = [
    ("One file", typed("ferry get -x 1 {site}/large/image.iso", 6)),
    ("Thirty files", thirty_files),
    ("A stall", typed("ferry get {site}/stalled/image.iso", 15)),
    ("A wait", typed("ferry get {site}/busy/image.iso", 3)),
    ("A failure", typed("ferry get {site}/missing/image.iso", 3)),
    ("`ferry watch`", watch),
    ("`ferry show`", show),
]

INTRODUCTION = """# What Ferry draws

Run `scripts/screens` to make this page again. It runs Ferry in terminals of 60, 80 and 120 columns (tmux), against a server on the same
machine.
"""


def picture(scene, columns, ferry, site):
    place = folder_in_place_of(HOME)
    screen = Screen(place, columns, ferry)
    try:
        scene(screen, site)
        return screen.text().replace(place, HOME)
    finally:
        screen.close()
        # The terminal is gone, and all that ran in it ends.
        time.sleep(1)
        shutil.rmtree(place, ignore_errors=True)


def main():
    ferry = os.path.abspath(sys.argv[1])
    server = Server(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_address[1]}"
    print(INTRODUCTION)
    for title, scene in SCENES:
        print(f"## {title}\n")
        pictures = {}
        threads = [
            threading.Thread(target=lambda columns=columns: pictures.update({columns: picture(scene, columns, ferry, site)}))
            for columns in WIDTHS
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for columns in WIDTHS:
            text = pictures[columns].replace(site, "http://www.example.org")
            print(f"{columns} columns:\n\n```text\n{text}\n```\n")


main()
