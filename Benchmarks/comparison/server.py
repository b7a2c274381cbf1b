"""nginx, on loopback, with all that it needs below one folder."""

import http.client
import os
import pathlib
import shutil
import socket
import subprocess
import time

from content import Site

ADDRESS = "127.0.0.1"
# Another server for tools that count connections by host.
OTHER_ADDRESS = "127.0.0.2"

# What a slow server gives one connection, in bytes a second, and how many connections make up its whole.
CONNECTION_RATE = 20_000_000
CONNECTIONS = 16
WHOLE_RATE = CONNECTION_RATE * CONNECTIONS

# What two unequal servers of one file give one connection; together the whole.
SLOW_RATE = WHOLE_RATE // 4
FAST_RATE = WHOLE_RATE - SLOW_RATE

# socket.SO_MAX_PACING_RATE, which Python does not name.
SO_MAX_PACING_RATE = 47


class Server:
    """Six doors to the same files: plain, TLS, and four that pace each connection, at a sixteenth, a quarter, three
    quarters and the whole; and one that takes files by PUT, and small requests by POST.

    The kernel does the pacing, smoothly and by connection. nginx's own limit_rate would not do: it gives every request
    a second's worth at once, so that a tool that asks in many small pieces is not limited at all.
    """

    def __init__(self, place: pathlib.Path, site: Site):
        self.place = place / "nginx"
        self.place.mkdir()
        self.site = site
        self.doors = {
            "plain": door(),
            "tls": door(),
            "paced": door(CONNECTION_RATE),
            "whole": door(WHOLE_RATE),
            "slow": door(SLOW_RATE),
            "fast": door(FAST_RATE, OTHER_ADDRESS),
            "inbox": door(),
        }
        self.inbox = self.place / "inbox"
        self.inbox.mkdir()
        self.requests = self.place / "requests.log"
        self.authority = self.place / "authority.pem"
        self.log = self.place / "access.log"

    def port(self, name: str) -> int:
        return self.doors[name].getsockname()[1]

    def endpoint(self, name: str) -> str:
        """The address and the port of a door."""
        address, port = self.doors[name].getsockname()
        return f"{address}:{port}"

    def url(self, name: str, path: str) -> str:
        scheme = "https" if name == "tls" else "http"
        return f"{scheme}://{self.endpoint(name)}/{path}"

    def __enter__(self) -> "Server":
        make_certificate(self.place)
        (self.place / "nginx.conf").write_text(self.configuration())
        numbers = [each.fileno() for each in self.doors.values()]
        # nginx takes over the sockets that this variable lists: no port can be lost between choosing and using it.
        environment = {**os.environ, "NGINX": "".join(f"{number};" for number in numbers)}
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen(
            [program, "-p", self.place, "-c", self.place / "nginx.conf"],
            env=environment, pass_fds=numbers, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            # What stops the script must not stop the server before the script has ended what it runs.
            start_new_session=True,
        )
        try:
            self.await_answer()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.wait()
        for each in self.doors.values():
            each.close()

    def await_answer(self) -> None:
        for _ in range(200):
            if self.process.poll() is not None:
                break
            try:
                connection = http.client.HTTPConnection(ADDRESS, self.port("plain"), timeout=1)
                connection.request("HEAD", "/")
                connection.getresponse()
                return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("nginx did not start: " + (self.place / "error.log").read_text())

    def sent(self, since: int) -> int:
        """The bytes of bodies that the paced doors have sent since the log had this length.

        A request is logged when it ends, and one whose client was killed ends when nginx writes to it once more; so
        this waits until the log has been still for a while.
        """
        still_since = time.monotonic()
        length = -1
        while time.monotonic() - still_since < 0.5:
            grown = self.log_length()
            if grown != length:
                length = grown
                still_since = time.monotonic()
            time.sleep(0.02)
        with open(self.log, "rb") as log:
            log.seek(since)
            return sum(int(line) for line in log.read().split())

    def requested(self, since: int) -> set[str]:
        """The identifiers of the small requests that have come since their log had this length."""
        with open(self.requests, "rb") as log:
            log.seek(since)
            return set(log.read().decode().split())

    def log_length(self) -> int:
        return self.log.stat().st_size

    def configuration(self) -> str:
        place = self.place
        user = "user root;" if os.geteuid() == 0 else ""
        temporary = "\n    ".join(
            f"{kind}_temp_path {place}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        plain, tls, paced, whole, slow, fast, inbox = (
            self.endpoint(name) for name in ("plain", "tls", "paced", "whole", "slow", "fast", "inbox")
        )
        return f"""
daemon off;
worker_processes 1;
{user}
pid {place}/nginx.pid;
error_log {place}/error.log;
events {{ worker_connections 1024; }}
http {{
    sendfile on;
    log_format sent $body_bytes_sent;
    log_format number $arg_number;
    {temporary}
    root {self.site.root};
    access_log off;
    server {{ listen {plain}; autoindex on; }}
    server {{
        listen {tls} ssl;
        ssl_certificate {place}/server.pem;
        ssl_certificate_key {place}/server.key;
    }}
    server {{
        listen {paced};
        listen {whole};
        listen {slow};
        listen {fast};
        access_log {self.log} sent;
    }}
    server {{
        listen {inbox};
        root {self.inbox};
        client_max_body_size 0;
        client_body_temp_path {self.inbox}/.unfinished;
        location / {{ dav_methods PUT; }}
        location = /orders {{
            access_log {self.requests} number;
            return 201 "accepted";
        }}
    }}
}}
"""


def door(rate: int | None = None, address: str = ADDRESS) -> socket.socket:
    """A socket that listens on a free port, and whose connections send no faster than `rate` bytes a second."""
    listener = socket.socket()
    if rate is not None:
        listener.setsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, rate)
        # What waits in the kernel counts as sent; this bounds it.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 512 * 1024)
    listener.bind((address, 0))
    listener.listen(511)
    listener.setblocking(False)
    return listener


def make_certificate(place: pathlib.Path) -> None:
    """An authority of this run's own, and the server's certificate by it."""

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=place, check=True, capture_output=True, text=True)

    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    openssl("req", "-x509", *key, "-keyout", "authority.key", "-out", "authority.pem", "-days", "2",
            "-subj", "/CN=Ferry benchmark authority")
    openssl("req", "-new", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", f"/CN={ADDRESS}")
    (place / "names").write_text(f"subjectAltName=IP:{ADDRESS}\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key",
            "-CAcreateserial", "-out", "server.pem", "-days", "2", "-extfile", "names")
