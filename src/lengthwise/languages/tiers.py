r"""Classes of languages on a tier: some symbols are skipped, and the others decide.

A language L over an alphabet Σ is of a class *on the tier* T ⊆ Σ if some language K of the class
over T has L = {w : π(w) ∈ K}, where the projection π removes all symbols outside T from a word
(Heinz, Rawal and Tanner, 2011, for strictly local languages; Lambert, *Relativized adjacency*,
2023, for the others).

One tier is enough. Let S be the symbols that change some state of the minimal automaton of L. If L
is of a class below on any tier, it is so on S, and S is the smallest tier on which it can be.

Proof. Let L be of the class on T, by K. For a symbol a outside T the words uav and uv have the same
projection for all u and v, so both are in L or neither is. Hence a leads each state of the minimal
automaton to itself: a is not in S. So S ⊆ T, and no tier is smaller than S. A symbol outside S
changes no state, so w is in L exactly if its projection to S is, and the words of L over S are
those of K over S. It remains that K ∩ S*, as a language over S, is of the class if K is:

    strictly local    the windows that may occur are those of K that have symbols of S alone
    its complement    S* - K is S* ∩ (T* - K), which is strictly local
    testable          a value of each word, such as its set of windows, their numbers up to a
                      threshold, or their subsequences, decides membership in K, so it decides for
                      the words over S, too. QED

In terms of semigroups: the classes are closed under inverse images of morphisms that keep the
length. Classes that the monoid decides, and those of subsequences, gain nothing from a tier:
symbols that change no state add no element to the monoid, and subsequences skip symbols anyway.
"""

from dataclasses import replace

from lengthwise.languages.verdicts import Decide, LadderSubject, Verdict


def on_tier(decide: Decide) -> Decide:
    """Return the question whether the language is of a class on a tier."""

    def answer(subject: LadderSubject) -> Verdict:
        small = subject.on_tier
        verdict = small.ask(decide)
        if small is subject or verdict.holds is None:
            return verdict
        machine = subject.machine
        skipped = [s for a, s in enumerate(machine.alphabet) if a not in subject.tier]
        return replace(
            verdict,
            says=f"{', '.join(skipped)} skipped: {verdict.says}",
            words=tuple(word.rename(subject.tier) for word in verdict.words),
        )

    return answer
