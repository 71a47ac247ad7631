"""Build a tablebase with Dask: python3 tablebase_dask.py SCHEDULER DIR [MOST [FEWEST]]"""

import subprocess
import sys
import time

from distributed import Client

SHARDS = 160  # No layer has many more files. A worker that has done a shard takes another.


def compute(shard, folder, stones):
    """Computes a shard of a layer, on a worker. The program ends with the worker."""
    command = ["setpriv", "--pdeathsig", "KILL", "gothello", "tablebase", "build", folder]
    command += ["--stones", str(stones), "--shard", f"{shard}/{SHARDS}", "--threads", "1"]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        time.sleep(3)  # A file that a lost worker was writing may still be locked.
        raise RuntimeError(done.stderr.strip())


def main(scheduler, folder, most="24", fewest="0"):
    with Client(scheduler) as client:
        for stones in range(int(most), int(fewest) - 1, -1):
            options = {"folder": folder, "stones": stones, "retries": 40, "pure": False}
            client.gather(client.map(compute, range(1, SHARDS + 1), **options))
            print(f"{stones} stones: complete", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
