"""A Dask cluster of processes on this machine, for this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from seqlab.errors import ClusterError, OptionError

NODES = ("scheduler", "worker")  # which show pages about themselves, even without the dashboard


def _library() -> Any:
    try:
        import distributed
    except ImportError:
        raise OptionError("a cluster needs Dask: pip install 'seqlab[dist]'") from None
    return distributed


@contextmanager
def local_cluster(
    workers: int, *, threads: int = 1, dashboard: bool = False, **options: Any
) -> Iterator[Any]:
    """Start workers on this machine, and return a Client for them; they end with the block.

    workers     processes
    threads     of each
    dashboard   True for Dask's web page, on the loopback address; off otherwise
    options     further ones of distributed.LocalCluster
    """
    distributed = _library()
    import dask

    options = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", **options}
    scheduler = {"dashboard": bool(dashboard), **options.pop("scheduler_kwargs", {})}
    pages: dict[str, Any] = {} if dashboard else {f"distributed.{one}.http.routes": [] for one in NODES}
    if pages:
        options["config"] = {
            **pages,
            **options.get("config", {}),
        }  # of workers, also of those that join later
    try:
        with dask.config.set(pages):
            made = distributed.LocalCluster(
                n_workers=workers, threads_per_worker=threads, scheduler_kwargs=scheduler, **options
            )
    except RuntimeError as error:  # of Dask, whose cause is in its log
        raise ClusterError(
            f"workers could not be started ({error}); a script that starts some does so below "
            f"`if __name__ == '__main__':`, since every worker reads the script again"
        ) from error
    with made as cluster, distributed.Client(cluster, set_as_default=False) as client:
        yield client


@contextmanager
def connect(
    address: str,
    *,
    ca: str | os.PathLike[str] | None = None,
    cert: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
    timeout: float = 10,
) -> Iterator[Any]:
    """Connect to the scheduler of a cluster, and return a Client.

    address         tcp://host:port, or tls://host:port
    ca, cert, key   files of TLS: of the authority, our certificate, its key; without them Dask's own configuration
    timeout         seconds to wait for an answer
    """
    from seqlab.scale.cluster.distributed import connected

    distributed = _library()
    security = None
    if ca or cert or key:
        if not address.startswith("tls://"):
            raise OptionError(f"certificates are for tls:// addresses, got {address!r:.80}", option="address")
        names = {"tls_ca_file": ca, "tls_client_cert": cert, "tls_client_key": key}
        files = {name: os.fspath(one) for name, one in names.items() if one is not None}
        for path in files.values():
            if not Path(path).is_file():
                raise OptionError(f"TLS needs the file {path!r}, but it is not there", option="address")
        security = distributed.Security(require_encryption=True, **files)
    with connected(address, security=security, timeout=timeout) as client:
        yield client
