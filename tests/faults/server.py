"""A process that has loaded boxdraw and runs commands in forks of itself, each with a fault that is really there.

Loading takes seconds and a small command a fraction of one, so that many faults are injected for the price of a few.
It reads a job per line from standard input, as JSON, and writes what became of it. See ``inject.py`` for the jobs.
"""

import ctypes
import gc
import json
import os
import resource
import select
import signal
import socket
import sys
import time
import traceback
from contextlib import contextmanager
from functools import cache

import numba  # noqa: F401
import numpy as np
import pyarrow.dataset  # what commands load when they run: loaded here, once for all
import pyarrow.parquet
import sklearn.cluster
import sklearn.tree  # noqa: F401

import boxdraw._core.files
import boxdraw.cli.output
import boxdraw.learners.fast.cv
import boxdraw.report.build
import boxdraw.tables.predict
import boxdraw.tables.write
import paper.cells
import paper.output
from boxdraw import BoxSet, BoxSetClassifier, ExactBoxesClassifier, FastBoxesClassifier
from boxdraw.cli.main import main
from boxdraw.plotting import BoxesDisplay
from paper.__main__ import main as make_paper

HANG_SECONDS = 600
ASKED_THE_NETWORK = 99

#: The code that writes files. A run is killed before each line of it.
WRITING = tuple(
    module.__file__
    for module in (boxdraw._core.files, boxdraw.cli.output, boxdraw.tables.write, paper.output, paper.cells)
)


def save():
    """Replace a saved model by another, as ``BoxSet.to_json`` does."""
    BoxSet.from_json("model.json").to_json("saved.json")


def predict_table():
    """Write the predictions of a stored table."""
    model = BoxSetClassifier(BoxSet.from_json("model.json"), classes=("no", "yes"))
    model.predict_table("rows.parquet", "table.arrow", progress=False)


def tour():
    """Write the files of the demo."""
    return main(["demo", "--out", "demo", "--force"])


def hungry():
    """Fit a table to which the memory there is does not suffice."""
    X = np.broadcast_to(np.arange(5_000_000, dtype=np.int8)[:, None], (5_000_000, 20))  # 5 MB; 800 as floats
    FastBoxesClassifier(n_boxes=1).fit(X, X[:, 0] == 0).boxes_.to_json("saved.json")


@contextmanager
def ctrl_c_in_the_search():
    """Press Ctrl-C as soon as a search for the best boxes tells of itself."""
    from boxdraw.learners.exact.search import Control

    report = Control.report

    def stop(control):
        Control.report = report
        os.kill(os.getpid(), signal.SIGINT)
        report(control)

    Control.report = stop
    yield
    assert Control.report is report, "there was no search"


def stopped_command():
    """Stop the search of a command."""
    with ctrl_c_in_the_search():
        options = ["--method", "exact", "--max-boxes", "2", "-o", "exact.json", "--force"]
        return main(["fit", "data.csv", "--target", "fraud", *options])


def stopped_search():
    """Stop a search of ours, and save what it has found."""
    table = pyarrow.parquet.read_table("rows.parquet")
    X, y = table.select(["amount", "hour"]), np.array(table["fraud"].to_pylist())
    with ctrl_c_in_the_search():
        model = ExactBoxesClassifier(max_boxes=2, time_limit=600.0).fit(X, y)
    assert model.certificate_.verify(X, y)
    model.boxes_.to_json("exact.json")
    print(model.status_)


def everything_else():
    """Do what no other job does: exports, explanations, plots, and fits of stored tables."""
    boxes = BoxSet.from_json("model.json")
    table = pyarrow.parquet.read_table("rows.parquet")
    X, y = table.select(["amount", "hour"]), np.array(table["fraud"].to_pylist())
    for text in (boxes.to_sql("rows"), boxes.to_python(), boxes.to_markdown(), boxes.to_onnx(), boxes._repr_html_()):
        assert text
    model = FastBoxesClassifier(n_boxes=2).fit(X, y)
    model.fit_table("rows.parquet", target="fraud")
    model.explain(X)
    model.report(X, y, "page.html")
    BoxesDisplay.from_estimator(model, X, y).figure_.savefig("boxes.png")
    ExactBoxesClassifier(max_boxes=1, time_limit=0.0).fit(X, y)


def reach_out():
    """Ask the network for something, to see that this is found out."""
    import urllib.request

    urllib.request.urlopen("http://127.0.0.1:9/", timeout=1)


def print_rules():
    """Print rules where nothing more can be written."""
    os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
    return main(["rules", "model.json"])


CALLS = {
    function.__name__: function
    for function in (
        save,
        predict_table,
        tour,
        hungry,
        stopped_command,
        stopped_search,
        everything_else,
        reach_out,
        print_rules,
    )
}


#: The signals that are sent, by the fault; at a time, and with "line" before the name at a line of the writing code.
SIGNALS = {"kill": signal.SIGKILL, "interrupt": signal.SIGINT, "terminate": signal.SIGTERM}


def signal_before(line, number):
    """Send this process a signal before that line of the writing code; count them if it is never reached."""
    seen = 0

    def trace(frame, event, _):
        return trace_lines if frame.f_code.co_filename in WRITING else None

    def trace_lines(frame, event, _):
        nonlocal seen
        if event == "line":
            seen += 1
            if seen == line + 1:
                os.kill(os.getpid(), number)
        return trace_lines

    sys.settrace(trace)
    return lambda: seen


def limit_files(size, deadly):
    """Let no file grow beyond so many bytes: the system then kills the process, or refuses as a full disk does."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL if deadly else signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def limit_memory(more):
    """Let this process have so many bytes more than it has now."""
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, now + more))


def cut_off():
    """End this process when it wants a socket that is not of this machine alone, and take the network from it."""
    for spaces in (0x40000000, 0x50000000):  # CLONE_NEWNET; with CLONE_NEWUSER, where others may not
        if ctypes.CDLL(None).unshare(spaces) == 0:
            print("no network: in a space of its own")
            break

    def watch(event, arguments):
        inet = event == "socket.__new__" and arguments[1] in (socket.AF_INET, socket.AF_INET6)
        if inet or event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
            traceback.print_stack()
            os._exit(ASKED_THE_NETWORK)  # an exception could be caught

    sys.addaudithook(watch)


def give_up_rights():
    """Let permissions hold for this process even if it is the superuser's."""
    header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    if ctypes.CDLL(None).capset(header, nothing) != 0:
        raise OSError("capset failed")


def arm(fault, at):
    """Inject the fault; return a function that says how many lines of the writing code were run."""
    if fault == "count" or fault.startswith("line "):
        return signal_before(at, SIGNALS.get(fault.removeprefix("line "), 0))
    if fault in ("byte", "full"):
        limit_files(at, deadly=fault == "byte")
    elif fault == "memory":
        limit_memory(at)
    elif fault == "network":
        cut_off()
    elif fault == "rights":
        give_up_rights()
    return lambda: 0


def run(words):
    """Run a command line: of the paper, if that is its first word, and of boxdraw otherwise."""
    return make_paper(words[1:]) if words[:1] == ["paper"] else main(words)


def work(job, said):
    """Do the job in this process, which ends with it."""
    code, lines = 70, None
    try:
        os.chdir(job["folder"])
        for number in (1, 2):
            os.dup2(said, number)
        lines = arm(job["fault"], job["at"])
        code = CALLS[job["call"]]() or 0 if job["call"] else run(job["arguments"])
    except BaseException:
        traceback.print_exc()
    finally:
        sys.settrace(None)
        sys.stdout.flush()
        sys.stderr.flush()
        if job["fault"] == "count":
            os.write(said, f"\nlines: {lines()}".encode())
        os._exit(code)


@cache
def warm_up(command):
    """Load what a command loads when it runs, and takes long."""
    if command == "paper":
        from paper.artefacts import ARTEFACTS, artefact
        from paper.methods import all_methods

        all_methods()
        for name in ARTEFACTS:
            artefact(name)


def serve(job):
    """Fork, do the job, end it at the time that the job says; return how it ended and what it said."""
    warm_up(next(iter(job["arguments"]), None))
    words, said = os.pipe()  # no file, which a limit of files would concern; holds more than any of our commands says
    start = time.perf_counter()
    child = os.fork()
    if child == 0:
        work(job, said)
    os.close(said)
    if job["fault"] in SIGNALS:
        time.sleep(job["at"])  # the point of the run at which it is hit; if it has ended by then, it is a zombie
        os.kill(child, SIGNALS[job["fault"]])
    watched = os.pidfd_open(child)
    hung = not select.select([watched], [], [], HANG_SECONDS)[0]
    os.close(watched)
    if hung:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    seconds = time.perf_counter() - start
    with os.fdopen(words, "rb") as file:
        text = file.read().decode()
    wrong = [f"no end after {HANG_SECONDS} seconds"] if hung else []
    return {"code": os.waitstatus_to_exitcode(status), "seconds": seconds, "said": text, "wrong": wrong}


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # end with the process that started us
    gc.freeze()  # forks share what is loaded
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for request in sys.stdin:
        print(json.dumps(serve(json.loads(request))), file=replies, flush=True)
