"""Where tasks are run: one small interface, ``run(task, items)`` gives results in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .errors import Refused

Task = Callable[[Any], Any]
Backend = Callable[[Task, Sequence[Any]], Iterator[Any]]


def mapper(backend: str | Backend, workers: int) -> Backend:
    """A backend by name: "threads", "serial", "ray", "dask" or "joblib"; a function is taken as it
    is."""
    if callable(backend):
        return backend
    if backend == "serial" or (backend == "threads" and workers == 1):
        return serial
    if backend == "threads":
        return threads(workers or os.cpu_count() or 1)
    others = {"ray": ray, "dask": dask, "joblib": joblib}
    if backend in others:
        return others[backend](workers)
    near = ", ".join(f'"{b}"' for b in ("threads", "serial", *others))
    raise Refused(f'there is no backend "{backend}"; take {near}, or a function')


def serial(task: Task, items: Sequence[Any]) -> Iterator[Any]:
    """One after the other, in this thread."""
    for item in items:
        yield task(item)


def threads(workers: int) -> Backend:
    """Threads of this process: worlds step without the interpreter's lock."""

    def run(task: Task, items: Sequence[Any]) -> Iterator[Any]:
        pool = ThreadPoolExecutor(workers)
        try:
            # a window of work: results come in order, and not all of them lie in memory
            waiting: deque[Any] = deque()
            for item in items:
                waiting.append(pool.submit(task, item))
                if len(waiting) >= 4 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    return run


def ray(workers: int, chunk: int = 16) -> Backend:
    """Tasks on Ray: on the cluster that is connected, else on this machine."""

    def run(task: Task, items: Sequence[Any]) -> Iterator[Any]:
        import ray as engine

        if not engine.is_initialized():
            engine.init(num_cpus=workers or None, include_dashboard=False, log_to_driver=False)
        stored = engine.put(task)

        @engine.remote  # type: ignore[untyped-decorator,unused-ignore]
        def some(task: Task, part: Sequence[Any]) -> list[Any]:
            return [task(item) for item in part]

        window = 2 * int(engine.cluster_resources().get("CPU", 1))
        waiting: deque[Any] = deque()
        for k in range(0, len(items), chunk):
            waiting.append(some.remote(stored, list(items[k : k + chunk])))
            if len(waiting) >= window:
                yield from engine.get(waiting.popleft())
        while waiting:
            yield from engine.get(waiting.popleft())

    return run


def _parts(items: Sequence[Any], chunk: int) -> list[list[Any]]:
    return [list(items[k : k + chunk]) for k in range(0, len(items), chunk)]


def _some(task: Task, part: Sequence[Any]) -> list[Any]:
    return [task(item) for item in part]


def dask(workers: int, chunk: int = 16) -> Backend:
    """Tasks on Dask: on the cluster whose client is open, else on processes of this machine."""

    def run(task: Task, items: Sequence[Any]) -> Iterator[Any]:
        from distributed import Client, get_client

        try:
            client, own = get_client(), False
        except ValueError:
            client = Client(
                n_workers=workers or None, threads_per_worker=1, dashboard_address=None
            )
            own = True
        try:
            stored = client.scatter(task, broadcast=True)
            window = 2 * max(len(client.scheduler_info()["workers"]), 1)
            waiting: deque[Any] = deque()
            for part in _parts(items, chunk):
                # what a point gives is its own: two alike are computed twice
                waiting.append(client.submit(_some, stored, part, pure=False))
                if len(waiting) >= window:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            if own:
                client.close()

    return run


def joblib(workers: int, chunk: int = 16) -> Backend:
    """Tasks on joblib: on the backend that ``joblib.parallel_config`` chose, else on processes."""

    def run(task: Task, items: Sequence[Any]) -> Iterator[Any]:
        from joblib import Parallel, delayed

        pool = Parallel(n_jobs=workers or -1, return_as="generator")
        for rows in pool(delayed(_some)(task, part) for part in _parts(items, chunk)):
            yield from rows

    return run
