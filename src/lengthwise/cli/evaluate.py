"""Test a trained run on fresh words of given lengths, beside what shortcuts reach."""

import argparse
import random
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from lengthwise.cli.decoding import add_decoding, decoding_of, note_cut, refuse_translation
from lengthwise.cli.output import (
    add_device,
    add_json,
    counted,
    note,
    print_facts,
    print_json,
    print_table,
    refuse,
    whole_number,
)
from lengthwise.cli.progress import counting_progress
from lengthwise.cli.snapped import add_snapped, with_tables
from lengthwise.data.parallel_corpus import ParallelCorpus
from lengthwise.data.text_corpus import TEST, Corpus, Tokens
from lengthwise.errors import ConfigError
from lengthwise.evaluation.bleu import compared, require_comparable
from lengthwise.evaluation.scores import parse_lengths, percent
from lengthwise.experiments.measure import corpus_of, measure, measure_perplexity, measure_steps
from lengthwise.experiments.translated import asked, measure_translation
from lengthwise.models.language_model import LanguageModel
from lengthwise.training.language_plan import LanguagePlan
from lengthwise.training.step_plan import StepPlan
from lengthwise.training.train import Run, load_run, usual_lengths
from lengthwise.training.translation_plan import TranslationPlan


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The run, and the words."""
    parser.add_argument("run", type=Path, metavar="DIR", help="the folder of a trained run")
    parser.add_argument(
        "--lengths",
        help="41:500, 41:500:10 or 10,100,1000 (default: past the words of training, 41:500 if "
        "these have at most 40 symbols; of a language model: 1, 2, 4, 8 and 16 times its window; "
        "none of step tasks)",
    )
    parser.add_argument(
        "--words",
        type=whole_number(1),
        help="words per length (default 512; of a step task: all that are set apart for the test; "
        "of a language model: 1000 windows; of a translator: all sentences)",
    )
    parser.add_argument(
        "--text",
        type=Path,
        metavar="DIR",
        help="another corpus, for a language model or translator",
    )
    parser.add_argument("--part", help="of the corpus (default test)")
    parser.add_argument(
        "--against",
        type=Path,
        metavar="DIR",
        help="another translator, tested on the same: how sure is the difference?",
    )
    add_decoding(parser)
    parser.add_argument(
        "--protocol", help="of a language: published or audited (default: the run's)"
    )
    parser.add_argument("--seed", type=whole_number(0), help="of the test words (default 0)")
    add_snapped(parser)
    add_device(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Evaluate, store the scores in the run folder (not those of tables), and print them."""
    if arguments.lengths:
        parse_lengths(arguments.lengths)  # complains before anything is loaded
    trained = load_run(arguments.run, device=arguments.device)
    lengths = parse_lengths(arguments.lengths or usual_lengths(trained.plan))
    if isinstance(trained.plan, LanguagePlan):
        _evaluate_text(trained, arguments)
        return
    if isinstance(trained.plan, TranslationPlan):
        _evaluate_translations(trained, arguments)
        return
    refuse(arguments, "text", "language models and translators")
    refuse(arguments, "part", "language models and translators")
    refuse_translation(arguments)
    if isinstance(trained.plan, StepPlan):
        _evaluate_steps(trained, arguments)
        return
    if arguments.snapped:
        trained = with_tables(trained)
    with counting_progress(f"evaluating {trained.task.title}") as progress:
        scores, summary = measure(
            trained,
            lengths,
            protocol=arguments.protocol,
            words_per_length=arguments.words or 512,
            seed=arguments.seed or 0,
            progress=progress,
        )
    accuracy = scores.accuracy_by_length()
    if arguments.json:
        print_json(
            {
                **summary,
                "run": str(arguments.run),
                "snapped": arguments.snapped,
                "accuracy_by_length": accuracy,
                "loss_by_length": scores.loss_by_length(),
                "records": scores.to_records(),
            }
        )
        return
    print_facts(facts(summary))
    shown = shown_lengths(accuracy)
    print_table(["length", "accuracy %"], [[str(n), percent(accuracy[n])] for n in shown])


def _evaluate_steps(trained: Run, arguments: argparse.Namespace) -> None:
    """Exact match on the inputs that were set apart for it."""
    for option in ("lengths", "protocol", "seed", "snapped"):
        refuse(arguments, option, "languages")
    with counting_progress(f"evaluating {arguments.run}", "words") as progress:
        found = measure_steps(trained, words=arguments.words, progress=progress)
    if arguments.json:
        print_json({**found, "run": str(arguments.run)})
        return
    low, high = found["interval_95"]
    print_facts(
        [
            ("task", found["task"]),
            ("model", found["model"] + (f" ({found['body']})" if found["body"] else "")),
            ("supervision", found["supervision"]),
            ("exact match", f"{percent(found['exact_match'])} % of {found['words']:,} inputs"),
            ("95 % interval", f"{100 * low:.3f} to {100 * high:.3f} %"),
            ("worst step", f"{found['worst_step']} ({percent(found['worst_step_accuracy'])} %)"),
            ("first wrong", found["first_wrong"] or "none"),
        ]
    )


def _evaluate_text(trained: Run, arguments: argparse.Namespace) -> None:
    """Perplexity of the last token at each length of context."""
    for option in ("protocol", "snapped"):
        refuse(arguments, option, "languages")
    refuse_translation(arguments)
    plan = trained.plan
    assert isinstance(plan, LanguagePlan)
    assert isinstance(trained.model, LanguageModel)
    text = corpus_of(trained, Corpus.load(arguments.text) if arguments.text else None)
    part = arguments.part or TEST
    if arguments.lengths:
        lengths = parse_lengths(arguments.lengths)
    else:
        lengths = _usual_windows(plan.text.window, trained.model.max_positions, text.part(part))
    with counting_progress(f"evaluating {arguments.run}", "tokens") as progress:
        records, summary = measure_perplexity(
            trained,
            lengths,
            part=part,
            corpus=text,
            windows=arguments.words or 1_000,
            seed=arguments.seed or 0,
            progress=progress,
        )
    if arguments.json:
        print_json({**summary, "run": str(arguments.run), "records": records})
        return
    print_facts(
        [
            ("text", f"{summary['corpus']}, part {summary['part']}"),
            ("model", f"{summary['model']}, trained on windows of {summary['train_window']:,}"),
            ("asked", f"the last token of {summary['windows']:,} windows at each length"),
        ]
    )
    rows = [
        [
            f"{each['length']:,}",
            f"{each['perplexity']:.2f}",
            "{:.2f} to {:.2f}".format(*each["interval_95"]),
            f"{1e3 * each['seconds'] / each['windows']:.1f}",
        ]
        for each in records
    ]
    print_table(["length", "perplexity", "95 % interval", "ms a window"], rows)


def _usual_windows(window: int, most: int | None, tokens: Tokens) -> list[int]:
    """1, 2, 4, 8 and 16 times the window of training, as far as the model and the text go.

    Of a text without any of these, the longest that is a half, a fourth, ... of the window.
    """
    lengths = [window * 2**power for power in range(_DOUBLINGS + 1)]
    read = [length for length in lengths if most is None or length <= most]
    found = [length for length in read if tokens.num_windows(length)]
    if found == read:
        return read
    shorter = (window >> power for power in range(1, window.bit_length() - 1))
    found = found or [length for length in shorter if tokens.num_windows(length)][:1]
    if found:
        longest = found[-1]
        note(
            f"the text has no window of {2 * longest:,} tokens, so {longest:,} is the longest asked"
        )
    return found or read[:1]


_DOUBLINGS = 4


def _evaluate_translations(trained: Run, arguments: argparse.Namespace) -> None:
    """BLEU and chrF, in all and by length; beside another run, if one is named."""
    for option in ("protocol", "snapped", "lengths", "seed"):
        refuse(arguments, option, "other models")
    runs = [trained]
    if arguments.against is not None:
        other = load_run(arguments.against, device=arguments.device)
        if not isinstance(other.plan, TranslationPlan):
            raise ConfigError(f"--against is another translator, but {arguments.against} is none.")
        runs.append(replace(other, folder=None))  # what was found of it stays in its folder
    text = ParallelCorpus.load(arguments.text) if arguments.text else None
    part, decoding = arguments.part or TEST, decoding_of(arguments)
    if len(runs) > 1:  # before hours of translating
        tests = (asked(run, part=part, corpus=text, sentences=arguments.words) for run in runs)
        require_comparable(*(test.facts() for test in tests))
    found = []
    for run, name in zip(runs, (arguments.run, arguments.against), strict=False):
        with counting_progress(f"translating, {name}", "sentences") as progress:
            _, summary = measure_translation(
                run,
                part=part,
                corpus=text,
                decoding=decoding,
                sentences=arguments.words,
                progress=progress,
            )
        found.append(summary)
        note_cut(summary["cut"], decoding)
    summary, beside = found[0], found[-1]
    against = compared(beside, summary) if arguments.against is not None else None
    if arguments.json:
        plain = {key: value for key, value in summary.items() if key != "samples"}
        if against is not None:
            plain["against"] = {
                "run": str(arguments.against),
                "bleu": beside["bleu"],
                "chrf": beside["chrf"],
                **against._asdict(),
            }
        print_json({**plain, "run": str(arguments.run)})
        return
    low, high = summary["interval_95"]
    trained_to = summary["longest_trained"]
    facts = [
        ("text", f"{summary['corpus']}, part {summary['part']}"),
        (
            "sentences",
            f"{summary['sentences']:,}"
            + (f", all longer than the {trained_to} tokens of training" if trained_to else ""),
        ),
        ("BLEU", f"{summary['bleu']:.2f} (95 %: {low:.2f} to {high:.2f})"),
        ("chrF", f"{summary['chrf']:.2f}"),
        ("signature", summary["signatures"]["bleu"]),
        ("words", f"{summary['length_ratio']:.2f} for one of the references"),
    ]
    if against is not None:
        facts.append(
            (
                f"against {arguments.against}",
                f"{beside['bleu']:.2f}: {against.difference:+.2f} BLEU, p = "
                f"{against.p_value:.3f} (paired bootstrap, better in "
                f"{100 * against.share_better:.1f} % of samples)",
            )
        )
    print_facts(facts)
    rows = [
        [f"{each['first']}..{each['last']}", f"{each['sentences']:,}", f"{each['bleu']:.2f}"]
        for each in summary["by_length"]
    ]
    print_table(["source tokens", "sentences", "BLEU"], rows)


def facts(summary: dict[str, Any]) -> list[tuple[str, str]]:
    """The summary of an evaluation in words."""
    low, high = summary["interval_95"]
    below = summary["first_length_below_99"]
    first, last = summary["lengths"]
    without = summary["lengths_without_words"]
    return [
        ("task", f"{summary.get('title', summary['task'])}, {summary['protocol']} words"),
        (
            "lengths",
            f"{first}..{last}, {counted(summary['words_per_length'], 'word')} each"
            + (f" ({counted(without, 'length')} without any)" if without else ""),
        ),
        ("mean accuracy", f"{percent(summary['mean_accuracy'])} %"),
        ("95 % interval", f"{100 * low:.3f} to {100 * high:.3f} %"),
        (
            "worst length",
            f"{summary['worst_length']} ({percent(summary['worst_accuracy'])} %)",
        ),
        ("first under 99 %", "none" if below is None else str(below)),
        *(
            (f"shortcut: {name}", f"{percent(value)} %")
            for name, value in summary["shortcuts"].items()
        ),
    ]


_PARTS = 8
_WORST = 3


def shown_lengths(accuracy: Mapping[int, float]) -> list[int]:
    """Some of the lengths: the first, the last, one from each eighth, and the three worst.

    Those of the eighths are drawn, always the same: what a model gets right can depend on the
    length modulo a small number, and a stride would see one remainder only.
    """
    lengths = sorted(accuracy)
    if len(lengths) <= _PARTS + _WORST + 1:
        return lengths
    bounds = [round(index * len(lengths) / _PARTS) for index in range(_PARTS + 1)]
    draw = random.Random(0)
    drawn = {lengths[draw.randrange(first, last)] for first, last in pairwise(bounds)}
    worst = sorted(lengths, key=lambda n: (accuracy[n], n))[:_WORST]
    return sorted({lengths[0], lengths[-1], *drawn, *worst})
