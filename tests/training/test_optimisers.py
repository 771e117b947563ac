import lengthwise as lw
from lengthwise.problems.planning import make_plan
from lengthwise.training.optimisers import decays


def test_weights_decay_where_they_are_applied_alone() -> None:
    """Of a step decoder: not embeddings, positions, biases and norms, as in minGPT."""
    decoder = lw.train("steps:addition", bits=2, examples=4, validation_words=2, steps=1, warmup=0)
    decayed = {name for name, is_one in decays(decoder.model).items() if is_one}
    layer = "layers.0."
    assert decayed == {"answer.weight"} | {
        f"{layer}{name}.weight"
        for name in (
            *(f"attention.{part}" for part in ("query", "key", "value", "output")),
            "expand",
            "contract",
        )
    }
    gru = decays(lw.train("parity", model="gru", steps=1).model)
    assert {name for name, is_one in gru.items() if is_one} == {
        "cell.weight_ih_l0",
        "cell.weight_hh_l0",
        "answer.weight",
    }
    plan = make_plan("steps:addition", "gpt2", settings={"body": "python-small"})
    of_body = {name for name, is_one in decays(plan.build()).items() if is_one}
    first = {name.partition(".h.0.")[2] for name in of_body if ".h.0." in name}
    parts = ("attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
    assert first == {f"{part}.weight" for part in parts}
    assert not any("wte" in name or "wpe" in name for name in of_body)
