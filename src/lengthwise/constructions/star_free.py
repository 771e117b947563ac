"""From star-free automata to programs of lookups, by a cascade of resets.

A level of the cascade (`languages.cascade`) is one lookup: what its coordinate is before position i
was set at the nearest earlier position where the level was reset, so a position is blocked if it
leaves the coordinate as it is. Whether it does, and which value it sets, follows from the symbol at
that position and from the coordinates of the levels above before it: lookups of lower layers. The
value 0 is that of the start. So there are as many layers as levels, at most, and the class of a
prefix follows from its last symbol and from all coordinates before it.
"""

from lengthwise.constructions.diagrams import Diagrams
from lengthwise.constructions.programs import Lookup, Program, trimmed
from lengthwise.errors import ConstructionError, LanguageError
from lengthwise.languages.cascade import cascade
from lengthwise.languages.language import Language
from lengthwise.languages.merged import merged


def star_free_program(language: Language) -> Program:
    """Return the program of a star-free language.

    Raises:
        ConstructionError: the language is not star-free, and the message names a group; or it is
            too large.
    """
    machine = merged(language)
    try:
        made = cascade(machine)
    except LanguageError as error:
        raise ConstructionError(
            f"{language.spec or 'the language'} has no network of lookups: {error} Use another "
            f"rung, such as scan."
        ) from None
    diagrams = Diagrams([machine.num_symbols + 1, *(level.size for level in made.levels)])
    lookups = []
    for number, level in enumerate(made.levels, start=1):
        action = diagrams.from_cases(
            range(number),
            {
                (symbol + 1, *above): level.size if value is None else value
                for (symbol, *above), value in level.resets.items()
            },
        )
        lookups.append(
            Lookup(
                layer=number,
                blocked=diagrams.condition(action, level.size),
                values=tuple(diagrams.condition(action, value) for value in range(1, level.size)),
            )
        )
    start = (0, *(0 for _ in made.levels))
    classes = {start: machine.classes[machine.start]}
    for chain, state in made.states.items():
        for symbol, target in enumerate(machine.transitions[state]):
            classes[symbol + 1, *chain] = machine.classes[target]
    whole = diagrams.from_cases(range(len(start)), classes)
    found = Program(
        alphabet=machine.alphabet,
        lookups=tuple(lookups),
        classes=tuple(diagrams.condition(whole, c) for c in range(machine.num_classes)),
    )
    return trimmed(found)
