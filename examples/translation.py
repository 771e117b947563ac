"""A transformer that translates, with attention scaled by log n."""

import lengthwise as lw

lw.text.prepare_pairs("pairs")  # numbers in digits and words; or tables and files of yours
run = lw.train(
    "translation:pairs",
    scale="log-length",
    d_model=32,
    num_layers=1,
    steps=60,
    warmup=6,
    device="cpu",
)
print(lw.text.translate(run, ["4 7 2", "1 0 0 1"]))
scores = lw.text.evaluate_translations(run, beam=1)
print(f"BLEU {scores['bleu']:.1f}, chrF {scores['chrf']:.1f}")
