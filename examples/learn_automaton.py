"""What did a briefly trained network really learn? An automaton, learned by asking it, says."""

import lengthwise as lw

run = lw.train("parity", preset="smoke", steps=300)
learned = lw.interpret.learn_automaton(run, max_states=30)
print(learned)

word = learned.language.difference(run.language)
print("It is parity." if word is None else f"It is not parity: {run.language.decode(word)!r}")
