"""Numberings of points: coordinates of maps, and bounds on what words do."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lengthwise.constructions.numbering import Action, Numbering, bases
from lengthwise.languages.language import Language
from strategies import all_words, machines


def maps_of(language: Language, max_length: int) -> np.ndarray:
    """The maps of all short words, each once."""
    states = range(language.num_states)
    found = {
        tuple(language.run(word, state) for state in states)
        for word in all_words(language, max_length)
    }
    return np.array(sorted(found))


@given(language=machines(max_states=5), data=st.data())
def test_coordinates_tell_maps_apart_and_slopes_bound_differences(
    language: Language, data: st.DataObject
) -> None:
    count = language.num_states
    order = np.array(data.draw(st.permutations(range(count))))
    numbering = Numbering(Action(language.transitions), order, data.draw(st.integers(2, 6)))
    maps = maps_of(language, 6)
    vectors = np.array([numbering.vector(images) for images in maps])
    assert len(np.unique(vectors, axis=0)) == len(maps)
    numbers = np.argsort(order)[maps[:, order]]  # [map, number of a point]: number of its image
    assert (numbers >= numbering.least).all()
    assert (numbers <= numbering.greatest).all()
    digits = numbering.digits[numbers]
    assert (digits @ numbering.powers == numbers).all()
    for p in range(count):
        for s in range(numbering.least[p] + 1, numbering.greatest[p] + 1):
            off = np.abs(digits[:, s] - digits[:, s - 1]).max(axis=0)
            assert (off <= numbering.slope[p]).all()


def test_bases_are_the_least_for_each_number_of_digits() -> None:
    assert bases(1) == [2]
    assert bases(2) == [2]
    assert bases(10) == [2, 3, 4, 10]
    for count in range(1, 40):
        for base in bases(count)[1:]:
            length = next(n for n in range(1, 9) if base**n >= count)
            assert (base - 1) ** length < count
