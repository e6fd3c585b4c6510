"""The models on a Spark cluster: ``python -m pipelines.destinations.spark [folder]``.

Data flow: Parquet files that dlt's destination ``filesystem`` keeps in ``folder`` (as Spark names
it, such as ``file:///srv/lake``) -> tables of ``raw`` and ``ops`` -> the models, by dbt. Without
``folder`` the tables are taken as they are. ``SPARK_CONF_DIR`` says where the cluster is.

Spark waits without end where no worker is left; here a build waits ``spark.shopmirror.waitSeconds``
(of ``spark-defaults.conf``) for one, and fails then.
"""

import json
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pipelines.settings import home_folder
from pipelines.transform import dbt, models

_SETTING = "spark.shopmirror.waitSeconds"
_PATIENCE = 300
"""Seconds, where nothing is set: a manager of machines takes minutes to start one."""
_POLL = 1.0
_TRACE = re.compile(r" at (?:java|org|scala)\..*")
"""Where in Spark's own code it happened, which says nothing to who builds."""


def build(home: Path, folder: str = "") -> models.ModelRun:
    """Make the tables of what came to ``folder``, if one is named, and build and test every model.

    :class:`~pipelines.transform.models.ModelsFailed` when a model fails, or no worker is there for
    too long; the next build makes every model anew.
    """
    with _watched():
        try:
            if folder:
                words = ["run-operation", "lake", "--args", json.dumps({"folder": folder})]
                dbt.invoke(models.PROJECT, words, home=home, target="spark")
            return models.build_at("spark", {}, home=home)
        except models.ModelsFailed as error:
            raise models.ModelsFailed(_TRACE.sub("", str(error))) from error


@contextmanager
def _watched() -> Iterator[None]:
    """Cancel what waits for workers that do not come."""
    is_over = threading.Event()
    watch = threading.Thread(target=_watch, args=(is_over,), name="workers", daemon=True)
    watch.start()
    try:
        yield
    finally:
        is_over.set()
        watch.join()


def _watch(is_over: threading.Event) -> None:
    from py4j.protocol import Py4JError
    from pyspark import SparkContext

    since = time.monotonic()
    while not is_over.wait(_POLL):
        context = SparkContext._active_spark_context
        if not (jobs := _stranded(context)):
            since = time.monotonic()
            continue
        patience = int(context.getConf().get(_SETTING, str(_PATIENCE)))
        if time.monotonic() - since > patience:
            told = f"no worker for {patience} seconds ({_SETTING})"
            with suppress(Py4JError):  # it has ended meanwhile
                for job in jobs:
                    context._jsc.sc().cancelJob(job, told)


def _stranded(context: Any) -> list[int]:
    """Jobs that are under way where no worker is; none where the session works by itself."""
    from py4j.protocol import Py4JError

    if context is None:
        return []
    with suppress(Py4JError, AttributeError, OSError):  # it ends, and lets its jobs fail itself
        scala = context._jsc.sc()
        if not scala.isLocal() and scala.getExecutorMemoryStatus().size() <= 1:  # itself
            return list(context.statusTracker().getActiveJobsIds())
    return []


def main() -> None:
    """Build, and end with 1 in words if that fails."""
    try:
        made = build(home_folder(), *sys.argv[1:2])
    except models.ModelsFailed as error:
        sys.exit(str(error))
    sys.stdout.write(f"{made.models} models, {made.tests} tests of the data: done\n")


if __name__ == "__main__":
    main()
