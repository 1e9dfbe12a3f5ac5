"""Files as a stranger might leave them: pipes, links in a circle or to devices without an end, flipped bits."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

PATIENCE = 60  # seconds after which a program counts as hanging; each of these takes one or two


def hostile_files(folder: Path, ending: str) -> dict[str, str]:
    """Write one of each kind, and return their names with what is said about them."""
    os.mkfifo(folder / f"pipe{ending}")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.open(".", os.O_RDONLY)
        os.chdir(folder)  # the address of a socket is a short path
        try:
            server.bind(f"socket{ending}")
        finally:
            os.chdir(here)
            os.close(here)
    os.symlink("/dev/zero", folder / f"endless{ending}")
    os.symlink(f"pipe{ending}", folder / f"to pipe{ending}")
    os.symlink(f"circle{ending}", folder / f"circle{ending}")
    os.symlink(f"there{ending}", folder / f"back{ending}")
    os.symlink(f"back{ending}", folder / f"there{ending}")
    os.symlink("nowhere", folder / f"broken{ending}")
    return {
        f"pipe{ending}": "a pipe, not a file",
        f"socket{ending}": "a socket, not a file",
        f"endless{ending}": "a device, not a file",
        f"to pipe{ending}": "a pipe, not a file",
        f"circle{ending}": "a link that leads back to itself",
        f"back{ending}": "a link that leads back to itself",
        f"there{ending}": "a link that leads back to itself",
        f"broken{ending}": "a link to a file that is not there",
    }


def in_another_process(script: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Python code that may hang, and fail if it does."""
    command = [sys.executable, "-c", "import sys\n" + script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)


def flipped_bits(path: Path, count: int) -> Iterator[None]:
    """Flip one bit of a file after the other, each in the file as it was."""
    content = path.read_bytes()
    random = np.random.default_rng(0)
    for _ in range(count):
        damaged = bytearray(content)
        damaged[random.integers(len(content))] ^= 1 << random.integers(8)
        path.write_bytes(damaged)
        yield
    path.write_bytes(content)
