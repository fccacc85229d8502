"""Files of other programs that are cut, changed or made up: our error with its place, or a tagger that answers."""

import random
import re
import struct

import pytest

import seqlab
from oracle.foreign_files import crfpp, crfpp_binary, wapiti
from seqlab.errors import OptionError, SeqlabError, StoreError
from seqlab.foreign import crfpp as crfpp_reader

CRFPP = crfpp({"U0:a": [0.5, -1.0, 0.25], "U1:a/N": [1.0, 0.0, 0.0], "B": [0.125] * 9})
BINARY = crfpp_binary({"U0:a": [0.5, -1.0, 0.25], "U1:a/N": [1.0, 0.0, 0.0], "B": [0.125] * 9})
WAPITI = wapiti({"u:w=a": [0.5, -1.0, 0.25], "*:t=N/V": [1.0] * 12, "b": [0.125] * 9})


@pytest.fixture(scope="module")
def crfsuite(tmp_path_factory) -> bytes:
    pycrfsuite = pytest.importorskip("pycrfsuite")
    path = tmp_path_factory.mktemp("crfsuite") / "model"
    trainer = pycrfsuite.Trainer(verbose=False)
    for _ in range(3):
        trainer.append([["a", "b"], ["é"], ["a"]], ["X", "Y", "Z"])
    trainer.train(str(path))
    return path.read_bytes()


def complaint(path, content) -> str:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(StoreError) as caught:
        seqlab.convert_model(path)
    assert caught.value.path == str(path)
    return str(caught.value).removeprefix(str(path))


def answer(path, content) -> bool:
    """Whether it can be converted, and then used and saved; an error must be ours."""
    path.write_bytes(content)
    try:
        tagger = seqlab.convert_model(path)
        ready = tagger.features is None
        tagger.tag([["a", "é"], ["b"]] if ready else [("a", "N"), ("b", "V")])
        tagger.as_bytes()
    except SeqlabError:
        return False
    return True


def test_the_whole_files_are_fine(tmp_path, crfsuite):
    for content in (crfsuite, CRFPP.encode(), BINARY, WAPITI.encode()):
        assert answer(tmp_path / "m", content)


def test_cut_anywhere(tmp_path, crfsuite):
    path = tmp_path / "m"
    for length in [*range(60), *range(60, len(crfsuite), 37), len(crfsuite) - 1]:
        assert not answer(path, crfsuite[:length])
    for length in range(8, len(BINARY), 5):
        assert not answer(path, BINARY[:length])
    for whole in (CRFPP.encode(), WAPITI.encode()):
        for length in range(0, len(whole) - 5, 3):
            answer(path, whole[:length])
            assert not answer(path, whole[: length * 3 // 4])


def test_thousands_of_changes(tmp_path, crfsuite):
    rng = random.Random(11)
    path = tmp_path / "m"
    for content in (crfsuite, CRFPP.encode(), BINARY, WAPITI.encode()):
        for _ in range(400):
            changed = bytearray(content)
            for _ in range(rng.choice([1, 1, 2, 8])):
                at = rng.randrange(len(changed))
                kind = rng.randrange(4)
                if kind == 0:
                    changed[at] = rng.randrange(256)
                elif kind == 1:
                    changed[at] ^= 1 << rng.randrange(8)
                elif kind == 2:
                    changed[at : at + 4] = struct.pack(
                        "<I", rng.choice([0, 1, 2**31, 2**32 - 1, len(content)])
                    )
                else:
                    del changed[at : at + rng.randint(1, 9)]
            answer(path, bytes(changed))


def test_numbers_of_headers_are_not_believed(tmp_path, crfsuite):
    """A few bytes cannot ask for gigabytes: a header's numbers are held against the size of the file."""
    path = tmp_path / "m"
    rng = random.Random(12)
    extremes = [0, 1, 7, 1000, 65536, 10**6, 10**8, 10**9 - 1, 2**31 - 1, 2**32 - 1, 2**63, 10**18]
    for content in (crfsuite, CRFPP.encode(), BINARY, WAPITI.encode()):
        for _ in range(200):
            if content in (crfsuite, BINARY):
                answer(path, at(content, 4 * rng.randrange(20), rng.choice(extremes) % 2**32))
                continue
            found = rng.choice([*re.finditer(rb"\d+", content)])
            number = str(rng.choice(extremes)).encode()
            answer(path, content[: found.start()] + number + content[found.end() :])


def test_a_trie_with_a_cycle_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(crfpp_reader, "MOST_SHARED", 2**40)  # the cycle itself is seen
    said = complaint(tmp_path / "m", at(at(BINARY, 520, 7), 1668, 100))
    assert said.endswith("the trie of attributes is damaged: a word does not lead to its root")


def test_a_header_that_claims_too_many_columns(tmp_path):
    path = tmp_path / "m"
    for content, place in (
        (CRFPP.replace("xsize: 2", "xsize: 100000000"), ":1: "),
        (at(BINARY, 20, 100_000_000), ": byte 20: "),
        (WAPITI.replace("#rdr#4/2", "#rdr#4/999999"), ":2: "),
    ):
        said = complaint(path, content)
        assert said.startswith(f"{place}the header claims ")
        assert f"is the most for a file of {len(content)} bytes" in said


def at(content: bytes, offset: int, *numbers: int) -> bytes:
    return (
        content[:offset] + struct.pack(f"<{len(numbers)}I", *numbers) + content[offset + 4 * len(numbers) :]
    )


def test_crfsuite_complaints_name_the_byte(tmp_path, crfsuite):
    path = tmp_path / "m"
    weights, labels = struct.unpack_from("<I", crfsuite, 28)[0], struct.unpack_from("<I", crfsuite, 32)[0]
    cases = {
        crfsuite[:30]: ": the file is cut short: the header takes 48 bytes, but there are only 30",
        crfsuite[:-1]: ": the file is cut short: it should have",
        at(crfsuite, 12, 101): ": byte 8: a model of kind b'FOMC' and version 100 is wanted",
        at(crfsuite, 20, 2**31): ": byte 20: the model has 2147483648 labels",
        at(crfsuite, 20, 0): ": the model has no labels",
        at(crfsuite, 24, 2**30): "there is no room for the places of 1073741824 attributes",
        at(crfsuite, 28, 2**32 - 8): ": byte 28: the weights begin at 4294967288",
        at(crfsuite, weights, 7): f": byte {weights}: the weights should begin with b'FEAT'",
        at(crfsuite, weights + 8, 2**31): f": byte {weights}: 2147483648 weights end at",
        at(crfsuite, weights + 12, 9): f": byte {weights + 12}: weight 0 is wrong: its kind should be 0 or 1",
        at(crfsuite, weights + 16, 99): f": byte {weights + 12}: weight 0 is wrong: it comes from",
        at(crfsuite, weights + 20, 99): f": byte {weights + 12}: weight 0 is wrong: it leads to",
        at(crfsuite, weights + 28, 0x7FF00000): f": byte {weights + 12}: weight 0 is wrong: it is no finite",
        crfsuite[: weights + 32] + crfsuite[weights + 12 : weights + 32] + crfsuite[weights + 52 :]:
            f": byte {weights + 32}: weight 1 is wrong: it is there twice",
        at(crfsuite, labels, 7): f": byte {labels}: the names of the labels should begin with b'CQDB'",
        at(crfsuite, 32, 2**32 - 1): ": the names of the labels begin at 4294967295",
        crfsuite.replace(b"\xc3\xa9\0", b"\xc3\xc3\0"): "is not utf-8; pass the encoding",
        crfsuite.replace(b"Y\0", b"X\0"): "the label 'X' is there twice",
    }  # fmt: skip
    for content, wanted in cases.items():
        assert wanted in complaint(path, content)


def test_crfpp_complaints_name_the_line(tmp_path):
    path = tmp_path / "m"
    cases = {
        CRFPP.replace("maxid: 15", "maxid: 16"): ":19: 16 weights are wanted (maxid), found 15",
        CRFPP.replace("maxid: 15\n", ""): ":1: the header should say 'maxid', as a number",
        CRFPP.replace("xsize: 2", "xsize 2"): ":4: a name and a number are wanted, found 'xsize 2'",
        CRFPP.replace("I-X", "O"): ": the label 'O' is there twice",
        CRFPP.replace("U0:%x[0,0]", "Q0:%x[0,0]"): ":10: a CRF++ template line begins with U, B or #",
        CRFPP.replace("U0:%x[0,0]", "U0:%x[0,0"): ":10: %x[row,column] is wanted",
        CRFPP.replace("0 U0:a", "x U0:a"): ":15: the place of a weight",
        CRFPP.replace("3 U1:a/N", "3 U0:a"): ":16: the attribute 'U0:a' is there twice",
        CRFPP.replace("6 B", "7 B"): ":17: the attribute 'B' has weights 7 to 15, but there are only 15",
        CRFPP.replace("0.5000", "zero"): ":19: a weight is wanted, found",
        CRFPP.replace("0.5000000000000000", "1e300"): ":19: the weight '1e300' is no finite float",
        CRFPP[:60]: "the file is cut short in the",
        CRFPP.replace("3 U1:a/N", "3 B1:N"): ": the attributes have 21 weights, but there are only 15",
    }
    for content, wanted in cases.items():
        assert wanted in complaint(path, content)


def test_binary_crfpp_complaints_name_the_byte(tmp_path):
    path = tmp_path / "m"
    names = 32 + struct.unpack_from("<I", BINARY, 28)[0]
    trie = names + 4 + struct.unpack_from("<I", BINARY, names)[0]
    units = BINARY[trie:-60]
    cases = {
        BINARY[:20]: ": the file is cut short: the header takes 28 bytes, found 20",
        BINARY[:-1]: f": byte {trie}: a trie of {len(units)} bytes and 15 weights should follow",
        at(BINARY, 28, 2**31): ": byte 28: the labels take 2147483648 bytes",
        at(BINARY, names, 2**31): f": byte {names}: the template take 2147483648 bytes",
        BINARY[:-4] + b"\0\0\x80\x7f": "the weights and the cost factor should be finite",
        BINARY.replace(b"B-X", b"B-\xff"): "is not utf-8; pass the encoding",
        BINARY.replace(b"B-X", b"I-X"): "the label 'I-X' is there twice",
        BINARY.replace(b"U0:%x[0,0]", b"Q0:%x[0,0]"): ":1: a CRF++ template line begins with U, B or #",
        at(BINARY, trie, 2**20): f": byte {trie}: the trie of attributes is damaged",
    }
    for content, wanted in cases.items():
        assert wanted in complaint(path, content)


def test_wapiti_complaints_name_the_line(tmp_path):
    path = tmp_path / "m"
    cases = {
        WAPITI.replace(
            "#rdr#4/2/0", "#rdr#four"
        ): ":2: #rdr#patterns/columns/prefix is wanted, found b'#rdr#four'",
        WAPITI.replace("#rdr#4/2/0", "#rdr#4/2/1"): ":2: the model puts 'u' before its attributes",
        WAPITI.replace("11:u:w=", "12:u:w="): ":3: pattern 0 is wanted, as its length in bytes",
        WAPITI.replace("u:w=%x[0,0]", "q:w=%x[0,0]"): ":3: a Wapiti pattern begins with u, b or *",
        WAPITI.replace("3:B-X", "9999999:B-X"): ":9: label 1 is wanted",
        WAPITI.replace("5:u:w=a", "5:x:w=a"): ": the attribute 'x:w=a' should begin with u, b or *",
        WAPITI.replace("23=", "99="): ": there is a weight at 99, but attributes and labels have 24",
        WAPITI.replace("23=", "22="): ": two weights have the same place",
        WAPITI.replace("0=0x1", "0=0xq1", 1): ":15: a finite number is wanted, as in 0x1.8p+0, found b'0x'",
        WAPITI.replace("0=0x1", "0:0x1", 1): ":15: a weight is wanted, as in 12=0x1.8p+0; found b'0:0x1",
        WAPITI + "1=2\n": "24 weights are wanted, but more follow",
        WAPITI[:-4].rpartition("\n")[0] + "\n": ": a weight is wanted, as in 12=0x1.8p+0; the file ends",
        wapiti({"b": [1.0] * 9}, patterns=()): "the model has no patterns",
    }
    for content, wanted in cases.items():
        assert wanted in complaint(path, content)


def test_other_files(tmp_path):
    path = tmp_path / "m"
    assert "this is no model of CRFsuite, CRF++ or Wapiti: it begins with b'hello'" in complaint(
        path, b"hello"
    )
    assert "this is no model" in complaint(path, b"")
    seqlab.MostFrequentTag().fit([["a"]], [["X"]]).save(path)
    assert "seqlab.load(path)" in complaint(path, path.read_bytes())
    with pytest.raises(StoreError, match="cannot read"):
        seqlab.convert_model(tmp_path / "missing")
    with pytest.raises(StoreError, match="cannot read"):
        seqlab.convert_model(tmp_path)
    with pytest.raises(StoreError, match="the path of a model file is wanted"):
        seqlab.convert_model(None)
    with pytest.raises(OptionError, match="there is no encoding 'utf-99'"):
        seqlab.convert_model(path, encoding="utf-99")


def test_names_that_share_their_bytes_do_not_fill_the_memory(tmp_path, crfsuite):
    """Places that all lead to one long name would be read again and again."""
    start = struct.unpack_from("<I", crfsuite, 36)[0]
    places = struct.unpack_from("<I", crfsuite, start + 20)[0]
    first = struct.unpack_from("<I", crfsuite, start + places)[0]
    content = at(crfsuite, start + places + 4, first)
    assert "the name of attribute 1 is wanted, found number 0" in complaint(tmp_path / "m", content)


def test_load_reads_such_files_too(tmp_path, crfsuite):
    for content in (crfsuite, CRFPP.encode(), WAPITI.encode()):
        (tmp_path / "m").write_bytes(content)
        loaded, converted = seqlab.load(tmp_path / "m", seqlab.CRF), seqlab.convert_model(tmp_path / "m")
        assert loaded.as_bytes() == converted.as_bytes()
        with pytest.raises(StoreError, match="a HMM is wanted, the file has a CRF"):
            seqlab.load(tmp_path / "m", seqlab.HMM)
        with pytest.raises(StoreError, match="convert_model"):
            seqlab.CRF.from_bytes(content)
    (tmp_path / "m").write_bytes(crfsuite[:-1])
    with pytest.raises(StoreError, match="cut short"):
        seqlab.load(tmp_path / "m")
