"""From formulas of past-time logic to programs of lookups.

`f S g` is `g | (f & s)` with the strict since s = `Y (f S g)`, which is one lookup: the nearest j <
i where `!f | g` holds decides, and s is g there. If g holds at j, then f holds at all of j + 1..i -
1, since none of them has `!f`, and s is true. If not, f does not hold at j, so no earlier position
can be the one with g, and none after j has g, as such a one would be nearer: s is false. Without
such a j there is no g at all. (With j <= i in place of j < i the same rule decides the reflexive `f
S g` itself.) `Y f` of another f is the lookup that nothing blocks.

What a lookup looks for at j depends on the symbol at j and on lookups that are nested in it. So its
layer is its nesting depth, and all that is between lookups is Boolean, which a feed-forward network
computes at once.

A language that is given by a formula has its program from there, and from its automaton if it is
star-free, by a cascade of resets; the one with fewer layers is taken. (Star-free languages are
those of past-time logic: Kamp 1968; Lichtenstein, Pnueli and Zuck 1985.)
"""

from contextlib import suppress

from lengthwise.constructions.cascades import decompose
from lengthwise.constructions.diagrams import Diagrams
from lengthwise.constructions.lookups import LookupDesign, design_lookups
from lengthwise.constructions.programs import LookupTable, Program, trim
from lengthwise.errors import ConstructionError, LanguageError
from lengthwise.languages.cascade import cascade
from lengthwise.languages.language import Language
from lengthwise.languages.ltl import Formula
from lengthwise.languages.spec import formula_of


def design_ltl(
    language: Language, *, attention: str = "softmax", longest: int = 1_000
) -> LookupDesign:
    """Choose the program of a star-free language, and compute the size of its network.

    `attention` is softmax, right on words of at most `longest` symbols, or rightmost: hard
    attention, right on all words.

    Raises:
        ConstructionError: the language is not star-free, and the message names a group in its
            monoid; or it is too large, or a setting is out of range.
    """
    programs: list[Program] = []
    if (formula := formula_of(language.spec)) is not None:
        with suppress(ConstructionError):  # the automaton may be simpler
            programs.append(ltl_program(formula, language.alphabet))
    try:
        programs.append(star_free_program(language))
    except ConstructionError:
        if not programs:
            raise
    designs = [
        design_lookups(program, attention=attention, longest=longest) for program in programs
    ]
    return min(designs, key=lambda design: (design.config.num_layers, design.num_parameters))


def star_free_program(language: Language) -> Program:
    """Return the program of a star-free language.

    Raises:
        ConstructionError: the language is not star-free, and the message names a group; or it is
            too large.
    """
    try:
        return decompose(language, cascade)
    except LanguageError as error:
        raise ConstructionError(
            f"{language.spec or 'the language'} has no network of lookups: {error} Use another "
            f"rung, such as scan."
        ) from None


def ltl_program(formula: Formula, alphabet: tuple[str, ...]) -> Program:
    """Return the program of a formula, no deeper than its temporal operators are nested.

    Raises:
        ConstructionError: a condition has too many cases.
    """
    depths = formula.depths()
    memory = sorted(depths, key=lambda index: (depths[index], index))
    variable = {index: number for number, index in enumerate(memory, start=1)}
    diagrams = Diagrams([len(alphabet) + 1, *(2 for _ in memory)])
    meaning = _meanings(formula, alphabet, variable, diagrams)
    lookups = []
    for index in memory:
        node, blocked, value = formula.nodes[index], diagrams.leaf(0), meaning[index]
        if node.kind == "since":
            first, second = (meaning[operand] for operand in node.of)
            blocked = diagrams.apply(lambda f, g: int(f and not g), first, second)
            value = second
        lookups.append(
            LookupTable(
                layer=depths[index],
                blocked=diagrams.condition(blocked, 1),
                values=(diagrams.condition(value, 1),),
            )
        )
    meaning_of_all = meaning[formula.root]
    program = Program(
        alphabet=alphabet,
        memories=tuple(lookups),
        classes=(diagrams.condition(meaning_of_all, 0), diagrams.condition(meaning_of_all, 1)),
    )
    return trim(program)


def _meanings(
    formula: Formula, alphabet: tuple[str, ...], variable: dict[int, int], diagrams: Diagrams
) -> list[int]:
    """Return the diagram of every sub-formula, in terms of the symbol and of lookups."""
    meanings: list[int] = []
    for index, node in enumerate(formula.nodes):
        operands = [meanings[operand] for operand in node.of]
        match node.kind:
            case "symbol":
                diagram = diagrams.indicator(0, alphabet.index(node.symbol) + 1)
            case "true":
                diagram = diagrams.leaf(1)
            case "not":
                diagram = diagrams.apply(lambda f: 1 - f, *operands)
            case "and":
                diagram = diagrams.apply(min, *operands)
            case "or":
                diagram = diagrams.apply(max, *operands)
            case "since":
                before = diagrams.indicator(variable[index], 1)
                diagram = diagrams.apply(lambda f, g, s: int(g or (f and s)), *operands, before)
            case _:
                diagram = diagrams.indicator(variable[node.of[0]], 1)
        meanings.append(diagram)
    return meanings
