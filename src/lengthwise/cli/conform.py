"""The command `conform`: whether an engine of constrained decoding generates exactly a language."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lengthwise.cli.output import add_json, make_integer_type, print_json, say
from lengthwise.errors import ClaimError, ConfigError
from lengthwise.messages import format_count

if TYPE_CHECKING:
    from lengthwise.decoding.conformance import Conformance
    from lengthwise.decoding.vocabulary import Vocabulary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the engine, the expression and the vocabulary to the parser."""
    parser.add_argument(
        "engine", metavar="ENGINE", help="lengthwise, outlines-core, xgrammar or llguidance"
    )
    parser.add_argument("expression", metavar="REGEX", help="what is to be generated: '(cb)+'")
    parser.add_argument(
        "--tokenizer",
        metavar="NAME",
        help="a tokenizer of transformers, by name or folder, or a tokenizer.json (default: "
        "single characters that the expression tells apart)",
    )
    parser.add_argument("--end", metavar="TOKEN", help="the token that ends a string, as '</s>'")
    parser.add_argument(
        "--more-states",
        type=make_integer_type(0, 3),
        default=1,
        metavar="K",
        help="states that an engine may have more than the language, where it hides them "
        "(default: 1)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Judge the engine, and print the shortest wrong sequence of tokens, if there is one."""
    from lengthwise.decoding.conformance import judge
    from lengthwise.decoding.dialect import characters_of

    if arguments.tokenizer is not None:
        vocabulary = _read(arguments.tokenizer, arguments.end)
    elif arguments.end is not None:
        raise ConfigError("--end is for a tokenizer. Give --tokenizer, or omit it.")
    else:
        vocabulary = characters_of(arguments.expression)
    found = judge(
        arguments.engine, arguments.expression, vocabulary, more_states=arguments.more_states
    )
    if arguments.json:
        print_json(_as_json(found, vocabulary))
    else:
        say("\n".join(_lines(found, vocabulary)))
    if found.verdict != "conforms":
        raise ClaimError(f"{found.engine} does not generate exactly {found.expression!r:.60}.")


def _read(name: str, end: str | None) -> "Vocabulary":
    """Return the vocabulary of a tokenizer in a file or folder, or of a name."""
    from lengthwise.data.extra import require_extra
    from lengthwise.decoding.vocabulary import vocabulary_of

    require_extra("transformers")
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    try:
        if Path(name).is_file() or name.endswith(".json"):
            tokenizer: Any = PreTrainedTokenizerFast(tokenizer_file=name)
        else:
            tokenizer = AutoTokenizer.from_pretrained(name)
    except Exception as error:  # the library raises nothing more precise
        first = str(error).strip().partition("\n")[0]
        raise ConfigError(
            f"the tokenizer {name!r} cannot be read ({first:.160}). Give a name, a folder or a "
            f"tokenizer.json."
        ) from None
    if end is None:
        return vocabulary_of(tokenizer)
    number = tokenizer.get_vocab().get(end)
    if number is None:
        raise ConfigError(f"the tokenizer {name!r:.80} has no token {end!r:.40}. Give one of its.")
    return vocabulary_of(tokenizer, number)


def _lines(found: "Conformance", vocabulary: "Vocabulary") -> list[str]:
    size = format_count(int(vocabulary.text.sum()), "token")
    if found.verdict == "conforms":
        lines = [f"{found.engine} generates exactly {found.expression} with these {size}"]
    else:
        shown = " ".join([*_written(found.tokens, vocabulary), "(end)"])
        rule = {
            "lost": "is in the language, and the masks forbid this sequence",
            "gained": "is not in the language, and the masks allow this sequence",
        }[found.verdict]
        lines = [f"{found.verdict}: {shown}", f"{_text(found.tokens, vocabulary)!r} {rule}"]
    if found.respelled is not None:
        shown = " ".join([*_written(found.respelled, vocabulary), "(end)"])
        lines.append(f"the masks forbid {shown}, whose text other tokens may spell")
    if found.stuck is not None:
        shown = " ".join(_written(found.stuck, vocabulary))
        lines.append(f"no string of the language continues {shown}, which the masks allow")
    return [*lines, f"certain: {_certainty(found)}"]


def _certainty(found: "Conformance") -> str:
    pairs = format_count(found.pairs, "pair")
    if found.verdict != "conforms":
        shorter = "is wrong" if found.is_exact else "was found"
        return f"the sequence is wrong, and no shorter one {shorter}"
    if found.is_exact:
        return f"for every sequence, as all {pairs} of states, of engine and language, were visited"
    if found.max_states is not None:
        return (
            f"if the engine has at most {format_count(found.max_states, 'state')} (the language "
            f"has {found.language_states})"
        )
    return f"for the sequences that were followed ({pairs} of states), not for all tokens"


def _as_json(found: "Conformance", vocabulary: "Vocabulary") -> dict[str, Any]:
    values: dict[str, Any] = {
        name: getattr(found, name)
        for name in ("engine", "expression", "verdict", "is_exact", "max_states")
    }
    values |= {"language_states": found.language_states, "pairs": found.pairs}
    values |= {"followed_all": found.followed_all, "vocabulary": int(vocabulary.text.sum())}
    wrong = None if found.verdict == "conforms" else _sequence(found.tokens, vocabulary)
    others = {
        name: None if tokens is None else _sequence(tokens, vocabulary)
        for name, tokens in (("respelled", found.respelled), ("stuck", found.stuck))
    }
    return {**values, "wrong": wrong, **others}


def _sequence(tokens: tuple[int, ...], vocabulary: "Vocabulary") -> dict[str, Any]:
    return {
        "tokens": list(tokens),
        "written": _written(tokens, vocabulary),
        "text": _text(tokens, vocabulary),
    }


def _written(tokens: tuple[int, ...], vocabulary: "Vocabulary") -> list[str]:
    """Return each token as it is shown; a special one without quotes."""
    return [
        repr((vocabulary.tokens[token] or b"").decode(errors="backslashreplace"))
        if vocabulary.text[token]
        else vocabulary.special.get(token, b"?").decode(errors="backslashreplace")
        for token in tokens
    ]


def _text(tokens: tuple[int, ...], vocabulary: "Vocabulary") -> str:
    spelled = b"".join(vocabulary.tokens[token] or b"" for token in tokens)
    return spelled.decode(errors="backslashreplace")
