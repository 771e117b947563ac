"""Every class that `--assume` names has a searcher."""

from lengthwise.inference.rungs.catalogue import ASSUMED, RUNGS
from lengthwise.languages.subregular import CLASSES

OTHERS = {"SF": "star-free", "Zp": "group", "Reg": "counted"}


def test_every_class_of_the_benchmark_has_a_searcher() -> None:
    assert {OTHERS.get(name, name) for name in CLASSES} | {"chain"} == set(ASSUMED)
    assert set(ASSUMED) - set(RUNGS) == {"star-free"}
    assert all(searcher.name == name for name, searcher in ASSUMED.items())
