"""A sweep on a cluster of processes, one of which dies on the way: nothing is lost, and no bit is another."""

from __future__ import annotations

import os
import signal
import time

import pytest

np = pytest.importorskip("numpy", reason="sweeps need the extra 'sweep'")
pytest.importorskip("dask.array", reason="chunks need the extra 'sweep'")
distributed = pytest.importorskip("distributed", reason="clusters need the extra 'sweep'")

from symcount import SizeError, model, parameters  # noqa: E402 - after what may skip this file
from symcount.cli import main  # noqa: E402
from symcount.sweeping import sweep  # noqa: E402

SIZES = {"d": range(128, 128 * 41, 128), "h": range(64, 64 * 101, 64), "L": range(1, 51), "V": [50_000, 100_000]}
OPTIONS = {"heads": 8, "chunk": 10_000}


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                                  silence_logs=False) as made:
        yield made


@pytest.fixture
def client(cluster):
    assert cluster.scheduler_address.startswith("tcp://")
    with distributed.Client(cluster.scheduler_address) as made:
        made.wait_for_workers(2, timeout=30)
        yield made


def slowly(block):
    """A block as it is, after long enough for a worker to be killed meanwhile."""
    time.sleep(0.1)
    return block


def test_a_worker_that_is_killed_on_the_way_changes_no_bit(client):
    whole = sweep("llama-7b", **SIZES, heads=8).params
    lazy = sweep("llama-7b", **SIZES, **OPTIONS).params
    assert lazy.data.npartitions > 20
    later = client.persist(lazy.data.map_blocks(slowly, dtype=np.int64, meta=np.empty((0,) * 4, np.int64)))
    pids = client.run(os.getpid)
    deadline = time.monotonic() + 20
    while not any(client.who_has(later).values()):
        assert time.monotonic() < deadline, "no chunk was ever done"
        time.sleep(0.05)
    done = sum(map(bool, client.who_has(later).values()))
    assert done < later.npartitions, "all was done before a worker could be killed"
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    found = client.compute(later).result(timeout=60)
    assert found.dtype == whole.dtype
    assert found.tobytes() == whole.values.tobytes()
    assert set(client.run(os.getpid).values()) != set(pids.values())  # somebody did die


def test_a_refusal_comes_back_from_a_worker(client):
    lazy = sweep("llama-7b", d=[4096, 4097], chunk=1)
    with pytest.raises(SizeError, match=r"in one chunk 1 of 1 points cannot be built: heads = 32 does not divide d"):
        lazy.params.compute()


def test_columns_that_the_cluster_has_stay_there(client):
    import dask.array

    d = dask.array.arange(1, 1001, chunks=100).astype(np.int32) * 128
    found = sweep("llama-7b", d=("m", client.persist(d)), L=("m", np.full(1000, 2)), chunk=100)
    total = int(found.params.sum())
    assert total == sum(parameters(model("llama-7b", d=128 * i, L=2)).total for i in range(1, 1001))


def test_the_command_line_asks_a_scheduler(cluster, tmp_path, capsys):
    words = ["sweep", "llama-7b", "--for", "d=100*1..40,L=1..50", "--of", "params,kv", "--set", "heads=8,t=64"]
    here, there = str(tmp_path / "here.csv"), str(tmp_path / "there.csv")
    assert main([*words, "-o", here]) == 0
    assert main([*words, "--chunk", "300", "--scheduler", cluster.scheduler_address, "-o", there]) == 0
    with open(here, "rb") as one, open(there, "rb") as other:
        assert one.read() == other.read()
    assert "skipped: 1,500 of 2,000 points cannot be built" in capsys.readouterr().out


@pytest.mark.parametrize(("address", "says"), [
    ("tcp://127.0.0.1:1", "no scheduler answers"), ("localhost:8786", "no address of a scheduler"),
    ("tcp://localhost:8786;rm", "no address of a scheduler"), ("inproc://x", "no address of a scheduler")])
def test_a_scheduler_that_does_not_answer_is_told(address, says, capsys, monkeypatch):
    monkeypatch.setattr("symcount.workers._PATIENCE", "0.2 s")
    assert main(["sweep", "gpt2", "--for", "L=1,2", "--scheduler", address]) == 2
    assert says in capsys.readouterr().err
