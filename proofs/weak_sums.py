"""Which sum of a refused certificate is too near to 0, by `Margins.v` and `SmoothMargins.v`."""

import re

SUMS = {
    "step_bit": "bit {which} of the code after {parts}",
    "step_answer": "the largest logit less logit {which} after {parts}",
    "tree_bit": "bit {which} of the code of {parts}",
    "tree_answer": "the largest logit less logit {which} of {parts}",
}
"""Ends of the names of functions, and the sums that they find."""

_KINDS = {
    "tree_network": ("Margins", "weak_tree"),
    "recurrent_network": ("Margins", "weak_step"),
    "normed_tree": ("Margins SmoothMargins", "weak_normed_tree"),
    "gated_network": ("Margins SmoothMargins", "weak_gated_step"),
}
"""By the type of a network: the files and the names of its functions."""

_FOUND = re.compile(
    r"elements := \[(.*?)\];\s*which := (\d+);\s*sum_of := (.*?);\s*kept := (\d+)", re.S
)


def question_about_sums(certificate: str) -> str:
    """Return a file of Rocq that prints the weak sums of a certificate."""
    data = re.sub(r"Theorem (\w+) .*?Print Assumptions \1\.\n", "", certificate, flags=re.S)
    format_ = "double" if " double weights w " in certificate else "single"
    symbols = {"bit": "(num_symbols language) ", "answer": ""}
    files, _ = _kind_of(certificate)
    lines = [
        f"Eval vm_compute in {name} {format_} weights {symbols[name.split('_')[-1]]}codes network."
        for name in _names(certificate)
    ]
    return "\n".join([data, f"From Lengthwise Require Import {files}.", *lines, ""])


def _kind_of(certificate: str) -> tuple[str, str]:
    return next(_KINDS[name] for name in _KINDS if f"weights : {name} " in certificate)


def _names(certificate: str) -> list[str]:
    _, start = _kind_of(certificate)
    return [f"{start}_bit", f"{start}_answer"]


def explain_sums(certificate: str, shown: str) -> str:
    """Return which sum is too near to 0, and by how much; nothing if there is none."""
    answers = re.findall(r"= (.*?)\s*: option weak", shown, re.S)
    for name, answer in zip(_names(certificate), answers, strict=True):
        if found := _FOUND.search(answer):
            elements, which, ball, kept = found.groups()
            parts = f"elements {elements.replace(';', ',')}" if elements else "no symbol"
            said = next(SUMS[end] for end in SUMS if name.endswith(end)).format(
                which=which, parts=parts
            )
            numbers = [int(number) / 2 ** int(kept) for number in re.findall(r"-?\d+", ball)]
            if not numbers:
                return f"{said} may be 2^30 or more, or no number. Train for smaller weights."
            distance, radius = abs(numbers[0]), numbers[1]
            return (
                f"{said} is {distance:.4g} from 0, and rounding can move it by {radius:.4g}, "
                f"{radius - distance:.2g} more. Train for a larger margin."
            )
    return ""
