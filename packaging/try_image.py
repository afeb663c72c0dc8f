"""Inspects the container image and runs its program from the unpacked root file system, without a container engine.

    python3 packaging/try_image.py --image FILE.oci.tar --database-url URL

skopeo reads the configuration and checks every digest; umoci unpacks the layers. The program runs as the user of the
image, in its root file system, as process 1 of its own process namespace, against an empty database: its health check
passes, a failed run becomes a memory, the embedding model finds it, and a stop signal ends it.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import make_image
import measure
import workspace

READY_SECONDS, LEARN_SECONDS, STOP_SECONDS = 60.0, 60.0, 30.0
TASK = "Find out why the nightly import stopped"
FEEDBACK = "The job was renamed and its timer names the old one: look at the timer first."


class Broken(Exception):
    """The image is not what it should be."""


def inspect(archive: str, folder: Path) -> dict[str, Any]:
    """The configuration, after skopeo has checked every digest."""
    _run(["skopeo", "--insecure-policy", "copy", "--quiet", archive, f"dir:{folder}"])
    document: dict[str, Any] = json.loads(_run(["skopeo", "inspect", "--config", "--raw", archive]))
    config = document["config"]
    expected = {
        "User": f"{make_image.USER}:{make_image.USER}",
        "Entrypoint": [f"/{make_image.PROGRAM}"],
        "Cmd": ["serve"],
        "ExposedPorts": {f"{make_image.PORT}/tcp": {}},
        "StopSignal": "SIGTERM",
        "Healthcheck": make_image.HEALTHCHECK,
    }
    wrong = {name: config.get(name) for name, value in expected.items() if config.get(name) != value}
    if wrong:
        raise Broken(f"the configuration has {wrong}")
    version = config["Labels"]["org.opencontainers.image.version"]
    if version != workspace.version():
        raise Broken(f"the label says version {version}, the workspace {workspace.version()}")
    layers = len(document["rootfs"]["diff_ids"])
    print(
        f"ok   skopeo: {layers} layers, digests right, {document['architecture']}, labels and health check",
        flush=True,
    )
    return config


def unpack(image: Path, folder: Path) -> Path:
    """The root file system."""
    layout, bundle = folder / "layout", folder / "bundle"
    layout.mkdir()
    _run(["tar", "-xf", str(image), "-C", str(layout)])
    rootless = [] if os.geteuid() == 0 else ["--rootless"]
    _run(["umoci", "unpack", *rootless, "--image", f"{layout}:{workspace.version()}", str(bundle)])
    return bundle / "rootfs"


def check_files(root: Path) -> None:
    """Looks for what must be there and for what must not."""
    needed = [make_image.PROGRAM, make_image.LIBRARY, f"{make_image.SHARE}/model/model.onnx"]
    needed += [
        "etc/ssl/certs/ca-certificates.crt",
        "usr/share/zoneinfo/Europe/Helsinki",
        "var/lib/dpkg/status.d/libc6",
    ]
    needed += [f"{make_image.DOCUMENTS}/LICENSE", "usr/local/share/doc/onnxruntime/LICENSE", "etc/passwd"]
    missing = [name for name in needed if not (root / name).is_file()]
    unwanted = [name for name in ("bin/sh", "usr/bin/dpkg", "usr/bin/apt", "etc/hostname") if (root / name).exists()]
    modes = {str(path.relative_to(root)): path.lstat().st_mode for path in root.rglob("*")}
    bits = stat.S_IWOTH | stat.S_ISUID | stat.S_ISGID
    risky = [name for name, mode in modes.items() if stat.S_ISREG(mode) and mode & bits]
    if missing or unwanted or risky:
        raise Broken(f"missing: {missing}; unwanted: {unwanted}; writable by all or with a set-id bit: {risky}")
    print(f"ok   files: {measure.size(root) / 1e6:.1f} MB unpacked, no shell, no set-id program", flush=True)


class Container:
    """Runs programs in the unpacked root file system, with the user and the environment of the image."""

    def __init__(self, root: Path, config: dict[str, Any], port: int, database: str) -> None:
        self.root = root
        self.entrypoint: list[str] = config["Entrypoint"]
        self.command: list[str] = config["Cmd"]
        self.port = port
        settings = dict(entry.split("=", 1) for entry in config["Env"])
        # A port that is free on this machine; everything else is as in the image.
        settings |= {
            "REFLECT_LISTEN": f"127.0.0.1:{port}",
            "REFLECT_DATABASE_URL": database,
            "REFLECT_MIGRATE": "true",
        }
        self.settings = settings
        self.health = [word.replace(f":{make_image.PORT}", f":{port}") for word in config["Healthcheck"]["Test"][1:]]

    def words(self, program: list[str]) -> list[str]:
        """The command line that starts a program there."""
        user = make_image.USER
        variables = [f"{name}={value}" for name, value in self.settings.items()]
        enter = ["--mount", "--pid", "--fork", "--kill-child"]
        if os.geteuid() == 0:
            enter.append(f"--mount-proc={self.root}/proc")
            change = ["/usr/sbin/chroot", f"--userspec={user}:{user}", "--groups=", str(self.root)]
        else:
            # The user of the image, in a user namespace.
            enter += ["--user", f"--map-user={user}", f"--map-group={user}", f"--root={self.root}", "--wd=/"]
            enter.append("--mount-proc=/proc")
            change = []
        return ["/usr/bin/env", "--ignore-environment", *variables, "/usr/bin/unshare", *enter, *change, *program]

    def run(self, *arguments: str) -> str:
        """What a command of the program prints."""
        return _run(self.words([*self.entrypoint, *arguments]))

    def healthy(self) -> bool:
        """Whether the health check passes."""
        return subprocess.run(self.words(self.health), capture_output=True, check=False).returncode == 0

    @contextmanager
    def serving(self, log: Path) -> Iterator[subprocess.Popen[bytes]]:
        """The program as the image starts it."""
        with log.open("wb") as output:
            process = subprocess.Popen(self.words([*self.entrypoint, *self.command]), stdout=output, stderr=output)
        try:
            yield process
        finally:
            # Process 1 first: the change of the user cancelled its signal at the death of its parent.
            for below in measure.descendants(process.pid):
                os.kill(below, signal.SIGKILL)
            process.kill()
            process.wait()


def try_program(container: Container, log: Path) -> None:
    """Starts it, uses it, stops it."""
    with container.serving(log) as process:
        began = time.monotonic()
        while not container.healthy():
            if process.poll() is not None or time.monotonic() - began > READY_SECONDS:
                raise Broken(f"it did not become healthy:\n{log.read_text()}")
            time.sleep(0.2)
        ready = time.monotonic() - began
        (server,) = measure.descendants(process.pid)
        uid = int(Path("/proc", str(server), "status").read_text().split("Uid:")[1].split()[0])
        if os.geteuid() == 0 and uid != make_image.USER:
            raise Broken(f"it runs as the user {uid}")
        memory = measure.status_bytes(server, "VmRSS") / 1e6
        print(f"ok   started as process 1, user {uid}: healthy after {ready:.1f} s, {memory:.0f} MB", flush=True)

        created = json.loads(container.run("keys", "create", "--project", "image", "--label", "image", "--json"))
        similarity = learn(f"http://127.0.0.1:{container.port}/v1/projects/image", created["item"]["text"])
        print(
            f"ok   a failed run became a memory, found by the embedding model: similarity {similarity:.2f}",
            flush=True,
        )

        os.kill(server, signal.SIGTERM)
        code = process.wait(STOP_SECONDS)
        if code != 0 or '"stopped"' not in log.read_text():
            raise Broken(f"after SIGTERM it ended with {code}:\n{log.read_text()}")
        print("ok   SIGTERM: ended with 0", flush=True)


def learn(project: str, key: str) -> float:
    """Sends a failed run and waits until a similar task gets its memory; returns the similarity."""
    review = {"result": "fail", "feedback_text": FEEDBACK}
    messages = [{"role": "user", "content": TASK}, {"role": "assistant", "content": "The disk is full."}]
    _post(f"{project}/traces", key, {"task": TASK, "trajectory": messages, "review": review})
    deadline = time.monotonic() + LEARN_SECONDS
    while time.monotonic() < deadline:
        answer = _post(f"{project}/memory/query", key, {"task": "The import at night does not run any more"})
        found = [memory["similarity"] for memory in answer]
        if found and found[0] > 0:
            return float(found[0])
        time.sleep(0.2)
    raise Broken(f"no memory was found by meaning within {LEARN_SECONDS:g} s")


def _post(url: str, key: str, body: dict[str, Any]) -> Any:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Broken(f"`{' '.join(command)}` ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def free_port() -> int:
    """A port that no program uses at this moment."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def main() -> int:
    """0 when the image works."""
    parser = argparse.ArgumentParser(description="Inspect the container image and run its program.")
    parser.add_argument("--image", type=Path, required=True, help="what make_image.py wrote")
    parser.add_argument("--database-url", required=True, help="an empty database")
    options = parser.parse_args()
    began = time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="reflect-try-image-") as name:
            folder = Path(name)
            # The user of the image must be able to enter it.
            folder.chmod(0o755)
            config = inspect(f"oci-archive:{options.image}:{workspace.version()}", folder / "copied")
            root = unpack(options.image, folder)
            check_files(root)
            try_program(Container(root, config, free_port(), options.database_url), folder / "serve.log")
    except (Broken, OSError, subprocess.TimeoutExpired) as problem:
        print(f"image: FAILED: {problem}", file=sys.stderr)
        return 1
    size = options.image.stat().st_size / 1e6
    print(f"image: {options.image.name}, {size:.1f} MB, works; checked in {time.monotonic() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
