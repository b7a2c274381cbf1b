"""SeaweedFS, an object store that checks signatures, on loopback, with all that it needs below one folder."""

import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

ADDRESS = "127.0.0.1"
BUCKET = "bucket"
KEY = "FERRYBENCHMARK"
SECRET = "ferry/benchmark+secret"

# What every tool finds in its environment; rclone has names of its own.
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": KEY,
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


class Store:
    """One empty bucket. A run that uploads has a store of its own, because this one gives the space of objects that were
    removed back only after a while."""

    def __init__(self, place: pathlib.Path):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="store-", dir=place))
        names = ["s3", "filer", "master", "volume"]
        self.ports = dict(zip(names, free_ports(len(names))))
        self.calls = dict(zip(names, free_ports(len(names))))
        self.endpoint = f"http://{ADDRESS}:{self.ports['s3']}"

    def __enter__(self) -> "Store":
        identity = {
            "name": "benchmark", "actions": ["Admin", "Read", "Write", "List", "Tagging"],
            "credentials": [{"accessKey": KEY, "secretKey": SECRET}],
        }
        (self.place / "s3.json").write_text(json.dumps({"identities": [identity]}))
        words = [
            "-dir", self.place, "-ip", ADDRESS, "-ip.bind", ADDRESS, "-s3", f"-s3.config={self.place}/s3.json",
            "-master.volumeSizeLimitMB=1024", "-volume.max=16", "-master.telemetry=false",
            "-s3.port.iceberg=0", "-s3.port.lance=0",
        ]
        words += [f"-{name}.port={port}" for name, port in self.ports.items()]
        words += [f"-{name}.port.grpc={port}" for name, port in self.calls.items()]
        self.log = open(self.place / "log", "wb")
        self.process = subprocess.Popen(
            [shutil.which("weed") or "weed", "server", *words],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True,
        )
        try:
            self.await_answer()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        # Its own way to stop takes 20 seconds.
        self.process.kill()
        self.process.wait()
        self.log.close()
        shutil.rmtree(self.place)

    def await_answer(self) -> None:
        """Waits until it takes an object, because its parts need a while to find each other. Makes the bucket by that."""
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                taken = self.asked("PUT", f"/buckets/{BUCKET}/first", b"x")[0] < 300
                socket.create_connection((ADDRESS, self.ports["s3"]), timeout=1).close()
                if taken:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise SystemExit("SeaweedFS did not start: " + (self.place / "log").read_text(errors="replace")[-2000:])

    def asked(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """The status and the body of an answer of the part that keeps the names, which asks for no signature."""
        connection = http.client.HTTPConnection(ADDRESS, self.ports["filer"], timeout=30)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def mistake(self, key: str, source: pathlib.Path) -> str | None:
        """What is wrong with an object that was uploaded; None when it is right."""
        url = f"http://{ADDRESS}:{self.ports['filer']}/buckets/{BUCKET}/{key}"
        read = subprocess.Popen(["curl", "-q", "-fsS", url], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        same = subprocess.run(["cmp", "-s", "-", source], stdin=read.stdout).returncode == 0
        read.stdout.close()
        return None if read.wait() == 0 and same else "no object, or wrong bytes"

    def mistake_among(self, paths: list[str], root: pathlib.Path) -> str | None:
        """What is wrong with many small objects."""
        wrong = 0
        connection = http.client.HTTPConnection(ADDRESS, self.ports["filer"], timeout=30)
        for path in paths:
            connection.request("GET", f"/buckets/{BUCKET}/{path}")
            answer = connection.getresponse()
            if answer.read() != (root / path).read_bytes() or answer.status != 200:
                wrong += 1
        connection.close()
        return f"{wrong} of {len(paths)} objects missing or wrong" if wrong else None


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind((ADDRESS, 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports
