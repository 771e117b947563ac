"""Weights that nobody trained: exact for a language, checked, and looked into."""

import lengthwise as lw

language = lw.language("regex:(0|10*1)*")
exact = lw.compile(language)  # RegularGPT weights, right at every length
print(exact.claim, "|", exact.range_in_words())
print(exact.num_parameters, "parameters;", exact.settings)
print(lw.predict(exact, ["0110", "01" * 50_001]))

found = exact.verify(longest=200)  # against the automaton, in four precisions
print(found.holds, found.precisions["bfloat16"].right_to)

ones = lw.compile(language, target="matrices")  # larger, of zeros and ones: errors vanish
proof = lw.certify(ones, strength="robust")  # from the weights alone
print(proof.verdict, "|", proof.statement)

parity = lw.compile("chiang2022/parity")  # the encoder of Chiang and Cholak, with CLS
print(parity.verify(longest=200).precisions["float16"].first_wrong)
