"""Files that are unpacked and decoded as they are read."""

import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lengthwise.data.extra import require_extra
from lengthwise.errors import TextError

PACKED = (".xz", ".gz", ".zst")
"""Endings of files that are unpacked as they are read."""


@contextmanager
def open_unpacked(path: Path) -> Iterator[io.BufferedIOBase]:
    """Open a file, unpacked as it is read.

    Raises:
        TextError: it cannot be read, or is damaged, which may be noticed late.
        ConfigError: a library that it needs is not installed.
    """
    try:
        with _unpack(path) as file:
            yield file
    except OSError as error:
        why = error.strerror or str(error)  # a damaged .gz has the latter only
        raise TextError(f"{path} cannot be read: {why}. Give a file.") from None
    except (lzma.LZMAError, EOFError, zlib.error) as error:
        raise TextError(f"{path} is damaged: {error}. Fetch it again.") from None


def _unpack(path: Path) -> io.BufferedIOBase:
    packed = path.suffix.lower()
    if packed == ".xz":
        return lzma.open(path)
    if packed == ".gz":
        return gzip.open(path)
    if packed == ".zst":
        require_extra("zstandard")
        return io.BufferedReader(_Zstandard(path))
    return path.open("rb")


class _Zstandard(io.RawIOBase):
    """Content of a .zst file; unlike the library's own reader, this notices a missing end."""

    def __init__(self, path: Path) -> None:
        import zstandard  # noqa: PLC0415

        self._library, self._file = zstandard, path.open("rb")
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._ready, self._begun = b"", False

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        self._file.close()
        super().close()

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            packed = self._frame.unused_data or self._file.read(2**20)
            if self._frame.eof and packed:
                self._frame = self._library.ZstdDecompressor().decompressobj()
            if not packed:
                if self._begun and not self._frame.eof:
                    raise EOFError("it ends too early")
                return 0
            self._begun = True
            try:
                self._ready = self._frame.decompress(packed)
            except self._library.ZstdError as error:
                raise EOFError(str(error)) from None
        part, self._ready = self._ready[: len(buffer)], self._ready[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def decode_text(content: bytes, path: Path, lines_before: int) -> str:
    """Decode UTF-8, without the mark that Windows puts before it.

    Raises:
        TextError: it is not UTF-8; the message has the line.
    """
    try:
        text = content.decode("utf-8")
        return text if lines_before else text.removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = lines_before + content.count(b"\n", 0, error.start) + 1
        raise TextError(
            f"{path}: the file must be UTF-8, but line {line} is not. Convert the file."
        ) from None
