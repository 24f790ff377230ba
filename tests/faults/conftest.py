"""One process that has loaded boxdraw, for all tests of faults."""

import sys

import pytest

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]  # faults are injected by means of Linux


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    from .inject import Bench

    bench = Bench(tmp_path_factory.mktemp("faults"))
    yield bench
    bench.close()
