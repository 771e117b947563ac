"""What every kind of prepared corpus must notice when it is loaded."""

import pytest

from lengthwise.errors import TextError
from lengthwise.text.data.stored_corpus import StoredCorpus


def check_damage_is_told(corpus: StoredCorpus, name: str) -> None:
    """Flip a bit of a file, and delete it."""
    path = corpus.folder / name
    content = path.read_bytes()
    path.write_bytes(content[:5] + bytes([content[5] ^ 1]) + content[6:])
    with pytest.raises(TextError, match=rf"{name} is damaged.*Prepare the corpus again"):
        type(corpus).load(corpus.folder)
    path.unlink()
    with pytest.raises(TextError, match="damaged"):
        type(corpus).load(corpus.folder)


def check_a_damaged_index_is_told(corpus: StoredCorpus, content: str, was: str, now: str) -> None:
    """Write `content` into the index, or its own text with `now` where `was` stood."""
    path = corpus.folder / "index.json"
    edited = path.read_text().replace(was, now)
    path.write_text(edited if content == "EDITED" else content)
    with pytest.raises(TextError, match=r"index.json is damaged. Prepare the corpus again"):
        type(corpus).load(corpus.folder)
