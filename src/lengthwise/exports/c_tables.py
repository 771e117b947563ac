"""C: the tables of an automaton and the functions that read them, in one file."""

import re
from string import Template

from lengthwise.errors import ConfigError
from lengthwise.escapes import printable
from lengthwise.exports.format import Exported, Format
from lengthwise.languages.characters import list_symbols
from lengthwise.messages import format_count

_CORE = Template(
    r"""static const $state_type ${name}_next[$states][$symbols] = {
$rows
};

static const $class_type ${name}_classes[$states] = {
$class_row
};

/* the state before the first symbol */
${linkage}unsigned ${name}_reset(void)
{
    return 0;
}

/* the state after one more symbol */
${linkage}unsigned ${name}_step(unsigned state, unsigned symbol)
{
    if (state >= ${big}_STATES || symbol >= ${big}_SYMBOLS)
        return ${big}_STATES;
    return ${name}_next[state][symbol];
}

/* the class of what was read */
${linkage}unsigned ${name}_class(unsigned state)
{
    if (state >= ${big}_STATES)
        return ${big}_$outside;
    return ${name}_classes[state];
}
"""
)

_HEADER = Template(
    r"""/*
$comment
 *
 * States, symbols and classes are numbers from 0. A number that is not a symbol leads to the state
 * ${big}_STATES, which stays and has the class ${big}_NONE.
 *
 *     unsigned state = ${name}_reset();
 *     state = ${name}_step(state, 0);
 *     number = ${name}_class(state);
 */

#include <stdint.h>
#ifndef ${big}_H
#define ${big}_H

enum { ${big}_STATES = $states, ${big}_SYMBOLS = $symbols, ${big}_NONE = $largest };

$core
#endif
"""
)

_FILE = Template(
    r"""/*
$comment
 *
 * States, symbols and classes are numbers from 0. A number that is not a symbol leads to the state
 * ${big}_STATES, which stays and has the class ${big}_CLASSES.
 *
 *     unsigned state = ${name}_reset();
 *     state = ${name}_step(state, ${name}_symbol($example));
 *     puts(${name}_class_name(${name}_class(state)));
 *
 * cc -D${big}_MAIN makes a program that prints the class of every line of standard input.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { ${big}_STATES = $states, ${big}_SYMBOLS = $symbols, ${big}_CLASSES = $classes };

unsigned ${name}_reset(void);
unsigned ${name}_step(unsigned state, unsigned symbol);
unsigned ${name}_class(unsigned state);
unsigned ${name}_symbol(const char *text, size_t length);
const char *${name}_class_name(unsigned number);

$core
static const char *const ${name}_class_names[$classes] = {
$class_names
};

/* in the order of their bytes */
static const struct { const char *text; size_t length; unsigned symbol; } ${name}_symbols[] = {
$symbol_names
};

/* the number of a symbol as it is written in UTF-8; ${big}_SYMBOLS if there is none */
unsigned ${name}_symbol(const char *text, size_t length)
{
    size_t low = 0, high = ${big}_SYMBOLS;
    while (low < high) {
        size_t middle = low + (high - low) / 2, other = ${name}_symbols[middle].length;
        int order = memcmp(text, ${name}_symbols[middle].text, length < other ? length : other);
        if (order == 0 && length == other)
            return ${name}_symbols[middle].symbol;
        if (order < 0 || (order == 0 && length < other))
            high = middle;
        else
            low = middle + 1;
    }
    return ${big}_SYMBOLS;
}

const char *${name}_class_name(unsigned number)
{
    return number < ${big}_CLASSES ? ${name}_class_names[number] : "not a word";
}

#ifdef ${big}_MAIN
#include <stdio.h>

int main(void)
{
    unsigned char symbol[$room];
    size_t length = 0;
    unsigned long line = 1;
    unsigned state = ${name}_reset();
    int is_open = 0, byte;
    do {
        int ends;
        byte = getchar();
        ends = byte == ' ' || byte == '\r' || byte == '\n' || byte == EOF;
        if (!ends)
            symbol[length++] = (unsigned char)byte;
        if (length > 0 && (ends || $is_complete)) {
            state = ${name}_step(state, ${name}_symbol((const char *)symbol, length));
            if (state == ${big}_STATES) {
                fprintf(stderr, "line %lu: '%.*s' is not a symbol\n", line, (int)length,
                        (const char *)symbol);
                return 2;
            }
            length = 0;
        }
        if (byte == '\n' || (byte == EOF && is_open)) {
            puts(${name}_class_name(${name}_class(state)));
            state = ${name}_reset();
            line++;
            is_open = 0;
        } else {
            is_open = 1;
        }
    } while (byte != EOF);
    return 0;
}
#endif
"""
)

_CHARACTER_ENDS = (
    "length == (size_t)(symbol[0] < 0x80 ? 1 : symbol[0] < 0xe0 ? 2 : symbol[0] < 0xf0 ? 3 : 4)"
)
_LINE = 96
_LARGEST = 32767
"""The largest number that every `int` of C can hold."""


class C(Format):
    """Writes functions that reset, step and classify, and a program behind a macro."""

    summary = "C, one file of integer tables"

    def content(self, exported: Exported) -> str:
        """Return the file."""
        machine = exported.machine
        symbols = sorted((symbol.encode(), i) for i, symbol in enumerate(machine.alphabet))
        longest = max(len(text) for text, _ in symbols)
        first = machine.alphabet[0].encode()
        named = _named(exported)
        return _FILE.substitute(
            named,
            comment=_comment(exported),
            core=_CORE.substitute(named, linkage="", outside="CLASSES"),
            example=f"{_string(first)}, {len(first)}".replace("/", "\\057"),
            class_names=",\n".join(f"    {_string(n.encode())}" for n in machine.class_names),
            symbol_names=",\n".join(
                f"    {{{_string(text)}, {len(text)}, {i}}}" for text, i in symbols
            ),
            room=1 + (longest if machine.spaced else 4),
            is_complete=f"length > {longest}" if machine.spaced else _CHARACTER_ENDS,
        )


class Header(Format):
    """Writes the tables and three functions alone, in the part of C that `proofs/check.py` reads.

    `proofs/theories/Programs.v` defines this part. Its constants are at most 32,767, which every
    `int` of C can hold, and its comments are ASCII without backslashes and question marks.
    """

    summary = "C, a header of integer tables, which Rocq can prove"

    def content(self, exported: Exported) -> str:
        """Return the header.

        Raises:
            ConfigError: the automaton has more than 32,767 states, symbols or classes.
        """
        machine = exported.machine
        largest = max(machine.num_states, machine.num_symbols, machine.num_classes)
        if largest > _LARGEST:
            raise ConfigError(
                f"a header has numbers up to {_LARGEST:,}, but this automaton has "
                f"{machine.num_states:,} states, {machine.num_symbols:,} symbols and "
                f"{machine.num_classes:,} classes. Save it as .c."
            )
        named = _named(exported)
        comment = _comment(exported)
        return _HEADER.substitute(
            named,
            comment=re.sub(r"[^ -~\n]|[\\?]", lambda found: f"&#{ord(found[0])};", comment),
            core=_CORE.substitute(named, linkage="static inline ", outside="NONE"),
            largest=_LARGEST,
        )


def _named(exported: Exported) -> dict[str, object]:
    """Return what both files have, by the names of the templates."""
    machine = exported.machine
    name = _identifier(exported.name)
    return {
        "name": name,
        "big": name.upper(),
        "states": machine.num_states,
        "symbols": machine.num_symbols,
        "classes": machine.num_classes,
        "state_type": _type(machine.num_states - 1),
        "class_type": _type(machine.num_classes - 1),
        "rows": ",\n".join(f"    {{{_numbers(row)}}}" for row in machine.transitions),
        "class_row": f"    {_numbers(machine.classes)}",
    }


def _comment(exported: Exported) -> str:
    """Return the lines of the first comment, in which nothing begins or ends another."""
    machine = exported.machine
    lines = [
        *exported.notes,
        f"{format_count(machine.num_states, 'state')}; symbols {list_symbols(machine.alphabet)}; "
        f"classes {' '.join(machine.class_names[:20])}",
    ]
    text = "\n".join(f" * {printable(line)}" for line in lines)
    return re.sub(r"\?(?=\?)", "? ", text.replace("*/", "* /").replace("/*", "/ *"))


def _identifier(name: str) -> str:
    word = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_").lower()
    return word if word and not word[0].isdecimal() else f"automaton_{word}".strip("_")


def _type(largest: int) -> str:
    return "uint8_t" if largest < 2**8 else "uint16_t" if largest < 2**16 else "uint32_t"


def _numbers(values: tuple[int, ...]) -> str:
    """Return numbers with commas, on lines that are not too long."""
    lines = [""]
    for value in values:
        if len(lines[-1]) > _LINE:
            lines.append("")
        lines[-1] += f"{value}, "
    return "\n     ".join(lines).rstrip(", ").replace(", \n", ",\n")


def _string(text: bytes) -> str:
    """Return a string literal; bytes that are not plain ASCII are octal, as is what begins a
    trigraph."""
    plain = (chr(b) if 32 < b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in text)
    return f'"{"".join(plain)}"'
