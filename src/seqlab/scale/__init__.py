"""Training and tagging beyond memory and beyond one machine: data in shards on disk, sums over shards on a cluster."""

from typing import TYPE_CHECKING

from seqlab.lazy import when_used

if TYPE_CHECKING:
    from seqlab.scale.bulk import tag_arrow, tag_files
    from seqlab.scale.local import connect, local_cluster

__all__ = ["connect", "local_cluster", "tag_arrow", "tag_files"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = when_used(
        __name__, {"bulk": ("tag_arrow", "tag_files"), "local": ("connect", "local_cluster")}
    )
