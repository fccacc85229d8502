import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    """K-means on tiny data is slow with many threads, above all beside other tests."""
    with threadpool_limits(1):
        yield
