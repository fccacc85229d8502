"""Training beyond memory: data in shards on disk, mapped when they are needed."""
