"""Names that help shows of catalogues that load torch; a test compares them with these."""

RECOGNISERS = (
    *("regular-gpt", "regular-gpt-binary", "regular-gpt-rational", "regular-gpt-slots"),
    *("elman", "elman-relu", "gru", "lstm", "elman-binary", "gru-binary", "relu-binary"),
    *("linear-attention", "retnet", "gla", "deltanet", "deltanet-negative", "gated-deltanet"),
    *("gated-deltanet-negative", "deltaproduct", "rwkv7", "mamba", "mamba-negative", "mamba2"),
    *("mamba2-negative", "mlstm", "slstm", "pd-ssm", "block-diagonal", "ldru"),
    *("encoder-cls", "chomsky-transformer", "universal-transformer", "universal-transformer-log"),
    *("decoder", "scratchpad", "scratchpad-window"),
)

MODELS = {
    "languages": (RECOGNISERS, "regular-gpt-binary"),
    "functions": (RECOGNISERS, "regular-gpt-binary"),
    "step tasks": (("step-decoder", "pointer-decoder", "gpt2"), "step-decoder"),
    "string tasks": (RECOGNISERS, "gru"),
    "files of words": (RECOGNISERS, "gru"),
    "automata inferred from words": (RECOGNISERS, "regular-gpt-slots"),
    "functions inferred from pairs": (RECOGNISERS, "regular-gpt-binary"),
    "language models": (("regular-gpt-lm", "gpt-lm"), "regular-gpt-lm"),
    "translators": (("encoder-decoder",), "encoder-decoder"),
}
"""The models of each kind of problem, and the default one."""

PREFIXES = (
    *("steps:", "chomsky:", "words:", "inferred:", "pairs:"),
    *("text:", "translation:"),
)
"""The prefixes of specifications."""

OBJECTIVES = (
    *("final", "prefix", "node", "transition", "composition", "codebook", "maps", "states"),
)
"""What models of a language can learn from."""

RUNGS = ("tree", "slots", "scan", "ltl", "c-rasp", "cascade")
"""The kinds of computed networks."""

ANALYSES = ("clusters", "receptive-field", "attention", "deeper-trees")
"""The figures of `analyse`."""
