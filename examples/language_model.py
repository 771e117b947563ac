"""A language model that reads past its training length."""

import lengthwise as lw

lw.text.prepare("corpus", "python-topics", vocab_size=512)  # or files, folders, datasets of yours
run = lw.train("text:corpus", window=32, chunk_size=4, d_model=32, steps=50, warmup=5, device="cpu")
for length, perplexity in lw.text.perplexity(run, [32, 64, 128, 256], windows=200).items():
    print(f"{length} tokens: {perplexity:.1f}")
