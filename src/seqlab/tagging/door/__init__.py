"""Input of users, read and checked here and nowhere else."""
