"""A cluster of two processes for the tests that need one."""

import sys

import pytest


@pytest.fixture(scope="package")
def cluster():
    """Two processes, and a client that has to be made the current one."""
    dask = pytest.importorskip("dask", reason="needs dask")
    distributed = pytest.importorskip("distributed", reason="needs distributed")
    cloudpickle = pytest.importorskip("cloudpickle")  # Dask's own
    settings = {
        "distributed.scheduler.allowed-failures": 1,
        "distributed.worker.memory.terminate": False,
        # On a busy machine a worker may take long to start or to answer; it is not to be given up for that.
        "distributed.comm.timeouts.connect": "600s",
        "distributed.comm.timeouts.tcp": "600s",
        "distributed.scheduler.worker-ttl": None,
    }
    with (
        dask.config.set(settings),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        distributed.Client(cluster, set_as_default=False, timeout="600s") as client,
    ):
        # Workers get the functions of these tests by value: they import neither them nor another package named tests.
        for name in ("test_cluster_files", "test_dask"):
            if (module := sys.modules.get(f"{__package__}.{name}")) is not None:
                cloudpickle.register_pickle_by_value(module)
        yield client


@pytest.fixture
def client(cluster):
    """The client of the cluster, as the current one."""
    with cluster.as_current():
        yield cluster
