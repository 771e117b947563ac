"""A regular language of your own, a transformer that learns it, and how far that carries."""

import lengthwise as lw

language = lw.language("regex:(0|10*1)*")
print(language.num_states, "states;", "0110 is a member:", "0110" in language)

run = lw.train(language, max_length=20)
scores = lw.evaluate(run, lengths=range(21, 202, 20), words_per_length=128)

print(scores.summary()["mean_accuracy"], "at", scores.lengths)
print(lw.predict(run, ["0110", "01" * 5_000]))
