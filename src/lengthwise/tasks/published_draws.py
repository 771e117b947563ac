"""Words as the authors of RegularGPT (chi2023) drew them.

What their description leaves open is decided here:

- "half positives, half negatives" holds within each length of a batch, in random order; an odd word
  out goes to either side by chance. A length at which one side has no word gets the other alone.
- Modular Arithmetic: a word of even length n is the leading `+` and n - 1 uniform digits and
  operators in turn; odd lengths have no word of the domain, and are refused rather than shortened.
- Numbers "made even" are rounded down. A target length below zero counts as zero.
- Tomita 3: "the last count of ones" is the last run of ones that was drawn, even if two runs in
  succession merge; the redrawing of non-members takes care of the rest.
- Tomita 4: a third 0 in a row is tossed again until it is a 1, so it *is* a 1.

Axes:
    word  words of a batch
    time  places of a batch; words are at the right end
"""

import re
from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from lengthwise.errors import TaskError
from lengthwise.languages.language import Language
from lengthwise.registry import Catalogue
from lengthwise.tasks.automaton import PAD
from lengthwise.tasks.balance import draw_balanced_classes, integers_below, place
from lengthwise.tasks.sampling import UniformSampler

Lengths = Int[Tensor, " word"]
Tokens = Int[Tensor, "word time"]
Draw = Callable[[UniformSampler, Lengths, torch.Generator], Tokens]
"""Draws one word for each length."""


def find_published_draw(language: Language, p_one: float = 0.5) -> Draw:
    """Return the paper's way to draw words of a language; `p_one` is P(1), which only Parity has.

    Raises:
        TaskError: the paper has no words of this language.
    """
    if language.spec == "parity":
        return partial(draw_biased_bits, p_one=p_one)
    depth = re.fullmatch(r"d-(\d+)", language.spec)
    if depth:
        return partial(half_and_half, positives=partial(draw_nested_brackets, depth=int(depth[1])))
    if language.spec not in PUBLISHED:
        name = language.spec or "this language"
        raise TaskError(
            f"the paper has no words of {name}, only of {', '.join(PUBLISHED)} and d-N. "
            f"Use the protocol 'audited'."
        )
    return PUBLISHED[language.spec]


def is_counted(draw: Draw) -> bool:
    """Return whether a way to draw needs the counts of `UniformSampler.require_room`."""
    return isinstance(draw, partial) and draw.func is half_and_half


def has_published(language: Language) -> bool:
    """Return whether the paper draws words of this language."""
    return language.spec in PUBLISHED or re.fullmatch(r"d-\d+", language.spec) is not None


# ---- words of all classes --------------------------------------------------------------------


def draw_biased_bits(
    sampler: UniformSampler, lengths: Lengths, generator: torch.Generator, *, p_one: float = 0.5
) -> Tokens:
    """Draw independent symbols 0 and 1, with P(1) = `p_one`."""
    symbol_one = sampler.language.alphabet.index("1")
    is_begun = _mask_words(lengths)
    ones = torch.rand(is_begun.shape, generator=generator, dtype=torch.float64) < p_one
    return torch.where(is_begun, torch.where(ones, symbol_one, 1 - symbol_one), PAD)


def uniform_symbols(
    sampler: UniformSampler, lengths: Lengths, generator: torch.Generator
) -> Tokens:
    """Draw independent uniform symbols."""
    is_begun = _mask_words(lengths)
    symbols = torch.randint(sampler.language.num_symbols, is_begun.shape, generator=generator)
    return torch.where(is_begun, symbols, PAD)


def sums(sampler: UniformSampler, lengths: Lengths, generator: torch.Generator) -> Tokens:
    """Draw a leading `+`, then uniform digits and operators in turn."""
    sampler.require_words(lengths)
    alphabet = sampler.language.alphabet
    digits = torch.tensor([i for i, symbol in enumerate(alphabet) if symbol.isdigit()])
    operators = torch.tensor([i for i, symbol in enumerate(alphabet) if not symbol.isdigit()])
    is_begun = _mask_words(lengths)
    time = is_begun.shape[1]
    left = time - torch.arange(time)  # symbols to come, even at operators
    first = is_begun & (left == lengths[:, None])
    digit = digits[torch.randint(len(digits), is_begun.shape, generator=generator)]
    operator = operators[torch.randint(len(operators), is_begun.shape, generator=generator)]
    tokens = torch.where(left % 2 == 0, operator, digit)
    tokens[first] = alphabet.index("+")
    return torch.where(is_begun, tokens, PAD)


# ---- half members, half not ------------------------------------------------------------------


def half_and_half(
    sampler: UniformSampler, lengths: Lengths, generator: torch.Generator, *, positives: Draw
) -> Tokens:
    """Draw members by `positives` and as many uniform non-members; one kind if the other lacks."""
    classes = draw_balanced_classes(sampler, lengths, generator)
    tokens = torch.full(_mask_words(lengths).shape, PAD)
    outside, inside = classes == 0, classes == 1
    place(tokens, outside, sampler.draw(classes[outside], lengths[outside], generator))
    place(tokens, inside, positives(sampler, lengths[inside], generator))
    return tokens


def uniform_members(
    sampler: UniformSampler, lengths: Lengths, generator: torch.Generator
) -> Tokens:
    """Draw uniform words of class 1."""
    return sampler.draw(torch.ones_like(lengths), lengths, generator)


def draw_nested_brackets(
    sampler: UniformSampler, lengths: Lengths, generator: torch.Generator, *, depth: int
) -> Tokens:
    """Draw members of D_n: until the word is long enough append `0 w 1`, w from D_(n-1).

    The target length of w is normal(0.75 m, 0.075 m), made whole, even and at most m, where m is
    the remaining length less 2. Each word keeps, for every open level, what remains to be written
    there; one symbol is written at a time.
    """
    is_begun = _mask_words(lengths).T.contiguous()
    opening, closing = (sampler.language.alphabet.index(symbol) for symbol in "01")
    shares = 0.75 + 0.075 * torch.randn(is_begun.shape, generator=generator, dtype=torch.float64)
    remaining = torch.zeros(len(lengths), depth + 1, dtype=torch.int64)
    remaining[:, 0] = lengths
    remaining = remaining.flatten()  # one place for each word and level
    level = torch.arange(len(lengths)) * (depth + 1)
    innermost = level + depth
    opened = torch.empty_like(is_begun)
    for share, word_begun, opens in zip(shares, is_begun, opened, strict=True):
        left = remaining[level]
        torch.logical_and(left > 0, word_begun, out=opens)
        most = left - 2
        inner = (share * most).long().clamp(min=0).minimum(most) & ~1
        inner *= level + 1 < innermost
        remaining[level] = torch.where(opens, most - inner, left)
        level = level + torch.where(opens, 1, -1) * word_begun
        remaining[level] = torch.where(opens, inner, remaining[level])
    symbols = torch.where(is_begun, torch.where(opened, opening, closing), PAD)
    return symbols.T.contiguous()


def tomita_3_members(
    sampler: UniformSampler, lengths: Lengths, generator: torch.Generator
) -> Tokens:
    """Draw runs of uniform length, of zeros even after an odd one of ones; keep members."""
    tokens = _tomita_3_runs(sampler, lengths, generator)
    while (wrong := sampler.automaton.classify(tokens) != 1).any():
        again = _tomita_3_runs(sampler, lengths[wrong], generator)
        place(tokens, wrong, again)
    return tokens


def tomita_4_members(
    sampler: UniformSampler, lengths: Lengths, generator: torch.Generator
) -> Tokens:
    """Draw fair bits, but after two zeros a 1."""
    zero, symbol_one = (sampler.language.alphabet.index(symbol) for symbol in "01")
    is_begun = _mask_words(lengths)
    ones = (torch.rand(is_begun.shape, generator=generator) < 0.5) | ~is_begun
    for column in range(2, is_begun.shape[1]):
        ones[:, column] |= ~(ones[:, column - 1] | ones[:, column - 2])
    return torch.where(is_begun, torch.where(ones, symbol_one, zero), PAD)


def _tomita_3_runs(sampler: UniformSampler, lengths: Lengths, generator: torch.Generator) -> Tokens:
    zero, symbol_one = (sampler.language.alphabet.index(symbol) for symbol in "01")
    is_begun = _mask_words(lengths)
    time = is_begun.shape[1]
    column = torch.arange(time)
    tokens = torch.where(is_begun, zero, PAD)
    remaining = lengths.clone()
    last_ones = torch.zeros_like(lengths)
    while (remaining > 0).any():
        is_one = torch.rand(len(lengths), generator=generator) < 0.5
        run = integers_below(remaining + 1, generator)
        run = torch.where(~is_one & (last_ones % 2 == 1), run - run % 2, run)
        last_ones = torch.where(is_one & (remaining > 0), run, last_ones)
        start = (time - remaining)[:, None]
        in_run = is_one[:, None] & (column >= start) & (column < start + run[:, None])
        tokens[in_run] = symbol_one
        remaining = remaining - run
    return tokens


def _mask_words(lengths: Lengths) -> Bool[Tensor, "word time"]:
    time = int(lengths.max()) if len(lengths) else 0
    return torch.arange(time) >= time - lengths[:, None]


PUBLISHED: Catalogue[Draw] = Catalogue(
    "published distribution",
    {
        "parity": draw_biased_bits,
        "even-pairs": uniform_symbols,
        "cycle-navigation": uniform_symbols,
        "modular-arithmetic": sums,
        "tomita-3": partial(half_and_half, positives=tomita_3_members),
        "tomita-4": partial(half_and_half, positives=tomita_4_members),
        "tomita-5": partial(half_and_half, positives=uniform_members),
        "tomita-6": partial(half_and_half, positives=uniform_members),
    },
)
"""The paper's languages by name; those of the family d-N are drawn by `draw_nested_brackets`."""
