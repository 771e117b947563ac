"""A Boolean circuit as a one-layer, one-head transformer that computes it step by step."""

import torch

import lengthwise as lw
from lengthwise.circuits.adders import adder, from_bits, to_bits
from lengthwise.models.decoder import Decoder

bits = 16
exact = lw.compile("steps2022/addition-2", bits=bits)
print(exact.claim)

sequence = adder(bits, 2)  # inputs, carries and all, then the sum; lowest bit first
question = torch.tensor([[*to_bits(12_345, bits), *to_bits(54_321, bits)]])
assert isinstance(exact.model, Decoder)
answer = exact.model.complete(question, len(sequence.steps))[0]
print(from_bits([int(answer[place]) for place in sequence.outputs]), (12_345 + 54_321) % 2**bits)

print(exact.verify().holds)
