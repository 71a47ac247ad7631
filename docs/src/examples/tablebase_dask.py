"""Build a tablebase with Dask: python3 tablebase_dask.py SCHEDULER DIR [MOST [FEWEST]]"""

import sys

from distributed import Client
from gothello import Tablebase

SHARDS = 160  # No layer has many more files. A worker that has done a shard takes another.


def compute(shard, folder, stones):
    """Computes a shard of a layer, on a worker."""
    Tablebase.build(folder, stones, stones, shard=(shard, SHARDS), threads=1)


def main(scheduler, folder, most="24", fewest="0"):
    with Client(scheduler) as client:
        for stones in range(int(most), int(fewest) - 1, -1):
            # A file that a lost worker was writing may still be locked.
            options = {"folder": folder, "stones": stones, "retries": 40, "pure": False}
            client.gather(client.map(compute, range(1, SHARDS + 1), **options))
            print(f"{stones} stones: complete", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
