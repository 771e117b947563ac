import pytest

from lengthwise.errors import LanguageError
from lengthwise.languages.benchmark_languages import BENCHMARKS
from lengthwise.languages.named_languages import CATALOGUE, FAMILIES
from lengthwise.languages.spec import languages, may_change, parse


@pytest.mark.parametrize(
    ("spec", "alphabet", "canonical"),
    [(name, None, name) for name in CATALOGUE]
    + [
        ("d-3", None, "d-3"),
        ("d-012", None, "d-12"),
        ("parity", "01", "parity"),
        ("count:1:3", None, "count:1:3"),
        ("count:1:3:01", None, "count:1:3"),
        ("count:b:3", None, "count:b:3"),
        ("count:b:3", "abc", "count:b:3:abc"),
        ("count:b:3", "a b c", "count:b:3:abc"),
        ("regex:ab*", "a b c", "regex[abc]:ab*"),
        ("count:1:3", "10", "count:1:3:10"),
        ("regex:(0|10*1)*", None, "regex:(0|10*1)*"),
        ("regex:(0|10*1)*", "01", "regex:(0|10*1)*"),
        ("regex[01]:(0|10*1)*", None, "regex:(0|10*1)*"),
        ("regex:a*", "ab", "regex[ab]:a*"),
        ("regex[ba]:a*", "ba", "regex[ba]:a*"),
        ("regex[01]:", None, "regex[01]:"),
        ("regex[a-z]:hello", None, "regex[a-z]:hello"),
        ("regex:hello", "a-z", "regex[a-z]:hello"),
        ("regex[abcdef]:a", "a-f", "regex[a-f]:a"),
        ("regex:[a-f]*", "abcdef", "regex:[a-f]*"),
        (r"regex:\d+", None, r"regex:\d+"),
        ("regex:a*", r"a+\-", r"regex[a+\-]:a*"),
        ("regex:a*", "a - +", r"regex[a\-+]:a*"),
        ("regex[-a]:a*", None, r"regex[\-a]:a*"),
        ("regex:a*", r"\\a", r"regex[\\a]:a*"),
        (r"regex[\x00-\u0530]:a", None, r"regex[\x00-\u0530]:a"),
        ("count:a:3:a-f", None, "count:a:3:a-f"),
        ("ltl:a S b", "a-e", "ltl[a-e]:a S b"),
        ("ltl[a-e]:a S b", "abcde", "ltl[a-e]:a S b"),
        ("regex[:]]:a*".replace("a", ":"), None, "regex[:]]::*"),
        ("regex:[ab]:", None, "regex:[ab]:"),
        ("group:S3", None, "group:S3"),
        ("group:S4,generators=3", None, "group:S4,generators=3,seed=0"),
        ("group:S4,seed=7,generators=3", None, "group:S4,generators=3,seed=7"),
        ("group:D5,generators=2", None, "group:D5,generators=2,seed=0"),
        ("group:Z2wrS3", None, "group:Z2wrS3"),
        ("group:Q8xD3", None, "group:Q8xD3"),
        ("group:(1 2 3)(4 5),(1 2)", None, "group:(1,2,3)(4,5),(1,2)"),
        ("group: (2,3 , 1) ( 5 4 ) , (2 1)(3)", None, "group:(1,2,3)(4,5),(1,2)"),
    ],
)
def test_a_language_carries_the_line_that_makes_it_again(
    spec: str, alphabet: str | None, canonical: str
) -> None:
    language = parse(spec, alphabet)
    assert language.spec == canonical
    again = parse(language.spec)
    assert again == language
    assert again.spec == canonical
    assert language.minimise().spec == canonical


@pytest.mark.parametrize(
    ("spec", "alphabet", "message"),
    [
        ("partiy", None, "unknown language 'partiy'. Did you mean 'parity'?"),
        ("tomita-8", None, "unknown language 'tomita-8'. Did you mean 'tomita-"),
        ("", None, "unknown language ''"),
        ("grup:S5", None, "unknown kind of language 'grup'. Did you mean 'group'?"),
        ("parity[x]:1", None, "unknown kind of language 'parity'"),
        ("(0|1)*", None, "write regex:(0|1)*"),
        ("regex:(open|close)*", "open close", "one character, but the alphabet has 'open'. Write"),
        ("count:a:3", "a bc", "one character, but the alphabet has 'bc'. Write"),
        ("group[x]:S5", None, "has [x]. Remove it."),
        ("att[1=a]:file", None, "but not [1=a]"),
        ("group:S5,generator=3", None, "Did you mean 'generators'?"),
        ("group:S5,seed=x", None, "seed is an integer, but it is 'x'"),
        ("group:S3,seed=4", None, "seed=4 draws generators, but group:S3,seed=4 takes all"),
        ("group:S3,seed=0", None, "Add generators=K, or remove the seed"),
        ("group:S4,generators=2,generators=3", None, "generators appears twice in group:S4,gen"),
        ("group:S4,seed=1,generators=2,seed=1", None, "seed appears twice"),
        ("regex:a\udc80*", None, "column 2: '\\udc80' is not a character that UTF-8 can write"),
        ("regex:a*", "a\udc80", "the alphabet has '\\udc80'"),
        ("count:\ud800:3:a\ud800", None, "the alphabet has '\\ud800'"),
        ("group:", None, "'' in '' is none of these"),
        ("count:1", None, "this is count:1"),
        ("count:12:3", None, "this is count:12:3"),
        ("count:1:3:01", "10", "states '01' and '10' was given"),
        ("regex[ab]:a", "abc", "states 'ab' and 'abc' was given"),
        ("regex:a", "]:a", "which a line cannot hold"),
        ("regex:a", "", "at least one symbol"),
        ("parity", "ab", "parity has the alphabet '0 1', so it cannot have 'ab'"),
        ("regex:a(b", None, "column 2"),
        ("att:no-such-file", None, "no-such-file: cannot be read"),
    ],
)
def test_a_line_that_is_no_language_is_refused(
    spec: str, alphabet: str | None, message: str
) -> None:
    with pytest.raises(LanguageError) as caught:
        parse(spec, alphabet)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_list_names_everything_and_its_examples_work() -> None:
    listed = languages()
    assert [entry["spec"] for entry in listed] == [*CATALOGUE, *BENCHMARKS, *FAMILIES]
    assert all(entry["definition"] and entry["source"] for entry in listed)
    for family in FAMILIES.values():
        if not may_change(family.example):
            parse(family.example)


@pytest.mark.parametrize("text", ["0 1 1 0", " 0110", "0  1 10 "])
def test_symbols_of_one_character_may_have_spaces_between_them(text: str) -> None:
    parity = parse("count:1:3")
    assert parity.classify(text) == parity.classify((0, 1, 1, 0)) == 2
