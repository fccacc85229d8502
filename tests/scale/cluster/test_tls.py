"""Who may connect: loopback and no dashboard by default; TLS with certificates of one's own."""

import http.client
import shutil
import subprocess
import urllib.request

import pytest

import seqlab
from seqlab import scale
from seqlab.cli import main
from seqlab.errors import OptionError

pytest.importorskip("distributed")

COLUMNS = ("word", "pos", "chunk", "entity")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """An authority, and a certificate that it has signed."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is missing")
    folder = tmp_path_factory.mktemp("tls")
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    for name in ("own", "other"):
        own = ["-x509", "-keyout", f"{name}-ca.key", "-out", f"{name}-ca.pem", "-subj", f"/CN={name}"]
        openssl(folder, "req", *curve, *own, "-days", "2")
        openssl(folder, "req", *curve, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", "/CN=node")
        signed = ["-CA", f"{name}-ca.pem", "-CAkey", f"{name}-ca.key", "-CAcreateserial", "-days", "2"]
        openssl(folder, "x509", "-req", "-in", f"{name}.csr", "-out", f"{name}.pem", *signed)
    return folder


def openssl(folder, *words):
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def flags(folder, name, ca="--tls-ca-file"):
    files = [folder / f"{name}-ca.pem", folder / f"{name}.pem", folder / f"{name}.key"]
    return [str(one) for pair in zip((ca, "--tls-cert", "--tls-key"), files, strict=True) for one in pair]


@pytest.fixture
def shell(capfd):
    """Run a command; return its exit code, and what it says."""

    def run(*words):
        capfd.readouterr()
        code = main([str(word) for word in words])
        return code, " ".join(capfd.readouterr().err.split())

    return run


def test_train_and_tag_over_tls(scheduler, certificates, tmp_path, shell):
    _, address = scheduler("--protocol", "tls", *flags(certificates, "own"))
    assert address.startswith("tls://")
    train = tmp_path / "a.txt"
    seqlab.write(seqlab.demo_corpus("train")[:60], train)
    learn = ["--columns", ",".join(COLUMNS), "--label", "chunk", "--features", "chunk", "-i", "2", "-q"]
    place = ["--scheduler", address, *flags(certificates, "own")]
    model = tmp_path / "m"
    trained = shell("train", train, *learn, "--cache", tmp_path / "cache", *place, "-o", model)
    assert trained == (0, "")
    tagged = shell("tag", model, train, *learn[:2], "-q", "--output-dir", tmp_path / "out", *place)
    assert tagged == (0, "")
    assert seqlab.read(tmp_path / "out" / "a.txt").token_count == seqlab.read(train).token_count

    files = {"ca": certificates / "own-ca.pem", "cert": certificates / "own.pem"}
    with scale.connect(address, **files, key=certificates / "own.key") as client:
        far = seqlab.CRF("chunk", learner=seqlab.LBFGS(max_iterations=2)).fit(
            seqlab.stream_corpus(str(train), columns=COLUMNS), "chunk", cache=tmp_path / "c", client=client
        )
    assert (far.model_.theta == seqlab.load(model).model_.theta).all()

    for wrong in (["--scheduler", address], ["--scheduler", address, *flags(certificates, "other")]):
        code, said = shell("train", train, *learn, *wrong, "-o", tmp_path / "n")
        assert code != 0
        assert "there is no scheduler at" in said
        assert not (tmp_path / "n").exists()


def test_options_of_tls_are_checked(certificates, tmp_path):
    with (
        pytest.raises(OptionError, match="certificates are for tls:// addresses"),
        scale.connect("tcp://127.0.0.1:1", ca="x"),
    ):
        pass
    missing = tmp_path / "missing.pem"
    with (
        pytest.raises(OptionError, match=r"TLS needs.*missing\.pem"),
        scale.connect("tls://127.0.0.1:1", ca=missing, cert=missing, key=missing),
    ):
        pass


def listening():
    """Addresses and ports that processes of this cluster listen at."""
    import psutil

    here = psutil.Process()
    found = [one for p in (here, *here.children(recursive=True)) for one in p.net_connections()]
    return {(one.laddr.ip, one.laddr.port) for one in found if one.status == psutil.CONN_LISTEN}


PAGES = ("status", "info/main/workers.html", "json/counts.json", "metrics", "health")


def answered(port, page):
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{port}/{page}", timeout=5).status == 200
    except (OSError, http.client.HTTPException):
        return False


def test_loopback_and_no_pages_unless_asked():
    pytest.importorskip("psutil")
    before = listening()
    with scale.local_cluster(1, silence_logs=50) as client:
        client.cluster.scale(2)
        client.wait_for_workers(2)
        ours = listening() - before
        assert {address for address, _ in ours} == {"127.0.0.1"}
        assert not [(port, page) for _, port in ours for page in PAGES if answered(port, page)]
        addresses = [client.scheduler.address, *client.nthreads()]
        assert all(one.startswith("tcp://127.0.0.1:") for one in addresses)


def test_dashboard_when_asked():
    pytest.importorskip("psutil")
    before = listening()
    with scale.local_cluster(1, dashboard=True, silence_logs=50) as client:
        ours = listening() - before
        assert {address for address, _ in ours} == {"127.0.0.1"}
        assert answered(client.scheduler_info()["services"]["dashboard"], "health")
