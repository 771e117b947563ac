"""Reads a word of announced length symbol by symbol, holding a handful of vectors."""

import lengthwise as lw

language = lw.language("cycle-navigation")
run = lw.train(language, preset="smoke")

word = language.encode("010211" * 50)
stream = lw.interpret.streaming(run, len(word))
most = 0
for symbol in word:
    stream.feed([symbol])
    most = max(most, stream.num_vectors)

print(len(word), "symbols,", most, "vectors at most; answer:", int(stream.answer().argmax()))
