"""Full disks, read-only folders: a clear line, the right exit code, and no half file with a valid name.

Each case runs in a mount namespace of its own on a small tmpfs, so nothing of the machine is touched.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

SCRIPT = """
import json, subprocess, sys
from pathlib import Path
disk, args = Path(sys.argv[1]), sys.argv[2:]

def mount(*options):
    subprocess.run(["mount", *options], check=True)

def simulate():
    done = subprocess.run([sys.executable, "-m", "balance", "simulate", *args, "--out", str(disk / "run")],
                          capture_output=True, text=True)
    files = {str(p.relative_to(disk)): p.read_bytes().hex()[-8:] for p in sorted(disk.rglob("*"))
             if p.is_file()}
    return {"code": done.returncode, "out": done.stdout, "err": done.stderr, "files": files}
"""


def namespace() -> bool:
    """Return whether this machine lets us mount in a namespace of our own."""
    if shutil.which("unshare") is None:
        return False
    probe = ["unshare", "-rm", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    return subprocess.run(probe, capture_output=True).returncode == 0


pytestmark = pytest.mark.slow

ARGS = ["--players", "4", "--twists", "none", "--lineup", "mirror:random", "--games", "60000", "--jobs", "2"]
PARQUET_END = b"PAR1".hex()


@pytest.fixture
def on_a_disk(tmp_path, checkout):
    if not namespace():
        pytest.skip("no mount namespaces here")

    def run(body, *args):
        disk = tmp_path / "disk"
        disk.mkdir()
        done = subprocess.run(
            ["unshare", "-rm", sys.executable, "-c", SCRIPT + body, str(disk), *args],
            capture_output=True,
            text=True,
            cwd=checkout,
            env=os.environ | {"PYTHONPATH": str(checkout)},
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_a_full_disk_and_then_room(on_a_disk):
    full, after = on_a_disk(
        """
mount("-t", "tmpfs", "-o", "size=1500k", "tmpfs", str(disk))
full = simulate()
mount("-o", "remount,size=100m", str(disk))
print(json.dumps([full, simulate()]))
""",
        *ARGS,
    )
    assert (full["code"], full["out"]) == (1, "")
    assert len(full["err"].splitlines()) == 1
    assert "No space left on device; " in full["err"]
    assert "of 4 shards are kept; fix this, then run the same command again" in full["err"]
    whole = {name: end for name, end in full["files"].items() if name.endswith(".parquet")}
    assert set(whole.values()) == {PARQUET_END}  # what has a name is complete
    assert not [name for name in full["files"] if name.endswith(".tmp")]
    assert after["code"] == 0, after["err"]
    assert (
        len([name for name in after["files"] if "-players/" in name]) == 4 * 5
    )  # four shards of five tables


def test_a_read_only_folder(on_a_disk):
    (result,) = on_a_disk(
        """
mount("-t", "tmpfs", "-o", "size=1m,ro", "tmpfs", str(disk))
print(json.dumps([simulate()]))
""",
        *ARGS,
    )
    assert (result["code"], result["out"], result["files"]) == (1, "", {})
    assert len(result["err"].splitlines()) == 1
    assert "Read-only file system" in result["err"]


def test_a_finished_run_on_a_read_only_disk_can_be_used(on_a_disk):
    (result,) = on_a_disk(
        """
mount("-t", "tmpfs", "-o", "size=100m", "tmpfs", str(disk))
simulate()
mount("-o", "remount,ro", str(disk))
again = simulate()
done = subprocess.run([sys.executable, "-m", "balance", "replay", str(disk / "run"), "0", "--json"],
                      capture_output=True, text=True)
print(json.dumps([again | {"replayed": done.stdout.splitlines()[-1:]}]))
""",
        *ARGS,
    )
    assert result["code"] == 0
    assert "is finished" in result["err"]
    assert '"event": "end"' in result["replayed"][0]


# Root may write everywhere, unless it gives that up first.
AS_A_USER = [] if os.geteuid() else ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@pytest.mark.skipif(bool(AS_A_USER) and shutil.which("setpriv") is None, reason="root, and no setpriv")
def test_no_permission(tmp_path, checkout):
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o555)
    command = [*AS_A_USER, sys.executable, "-m", "balance", "simulate", *ARGS, "--out", str(folder / "run")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=checkout)
    assert (done.returncode, done.stdout) == (1, "")
    assert "Permission denied" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(folder.iterdir()) == []
