"""Training beyond memory: out of core beside in memory, and the peak memory of a corpus larger than its limit."""
