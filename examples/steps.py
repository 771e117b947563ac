"""What do intermediate steps buy? Parity of 12 bits, told with the states on the way, or not."""

import lengthwise as lw

print("written, in order:", *lw.steps.step_task("steps:parity", length=12).names)

for supervision in ("weak", "strong"):
    run = lw.train(
        "steps:parity",
        length=12,
        supervision=supervision,
        examples=1_000,
        d_model=64,
        learning_rate=1e-3,
        steps=600,
        warmup=30,
        validate_every=100,
    )
    found = lw.evaluate(run).summary()
    print(f"{supervision}: {found['exact_match']:.3f} of {found['words']} unseen words")
