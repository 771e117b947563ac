"""Tests mirror the tree: `tests/x/test_y.py` is where `x/y.py` is tested."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLACES = {"tests": "src/lengthwise", "papers/tests": "papers/src/lengthwise_papers"}

SPANNING = {
    "tests": """
        test_docs test_docstrings test_english test_errata test_imports test_ladder_page
        test_logs_page
        test_languages_page test_mirror test_names test_public_names test_settings_page
        test_version test_wheel test_words_page
        circuits/test_broken_circuit_files
        cli/test_advice cli/test_damage cli/test_growing_words cli/test_help cli/test_models
        cli/test_own_languages cli/test_own_models cli/test_proved cli/test_runs cli/test_slips
        cli/test_slips_table cli/test_stages cli/test_steps cli/test_streams
        cli/test_symbol_by_symbol cli/test_terminal
        constructions/test_chiang2022_errata constructions/test_circuits_errata
        constructions/test_lemma1_errata
        explorer/test_browser explorer/test_browser_drawing explorer/test_browser_film
        explorer/test_browser_function explorer/test_browser_recurrent
        explorer/test_explorer_page_of_docs
        golden/test_golden
        languages/test_ltlf_by_mona languages/test_reported
        models/test_models
        notebooks/test_notebooks notebooks/test_site
        problems/test_plugins problems/test_slips
        problems/inferred/test_inferred_runs
        problems/labelled_words/test_curriculum_of_a_file problems/labelled_words/test_kill_words
        problems/labelled_words/test_runs_on_words
        problems/recognition/test_dropout_seeds problems/recognition/test_evaluation
        problems/recognition/test_every_model problems/recognition/test_runs_on_languages
        problems/recognition/test_shown_lengths
        problems/step_by_step/test_runs_on_step_tasks
        proofs/check/test_alone proofs/check/test_bounds_fuzz proofs/check/test_forgeries
        proofs/check/test_inward_rounding proofs/check/test_rounding_ledger
        proofs/check/test_rounding_numbers proofs/check/test_second_checker
        proofs/check/test_second_ledger proofs/check/test_second_rounding
        proofs/check/test_three_checkers proofs/check/test_two_radii
        proofs/export/test_programs proofs/export/test_rocq_bounds
        proofs/export/test_rocq_euclid proofs/export/test_rocq_floats proofs/export/test_rocq_form
        proofs/search/test_certify_recurrent proofs/search/test_certify_window
        proofs/search/test_damaged_weights proofs/search/test_snapped_faults
        text/test_wing
        text/cli/test_text
        training/test_accelerator training/test_gpu training/test_kill training/test_loop_seeds
        zoo/test_zoo
    """,
    "papers/tests": "test_from_the_text test_hero test_pages test_verdicts",
}
"""Tests of what several modules do together, or of something that is no module."""


@pytest.mark.parametrize("place", PLACES)
def test_a_test_has_the_name_of_its_module_or_is_of_several(place: str) -> None:
    modules = {  # of the package, and those that help the tests
        str(path.relative_to(base).with_name(f"test_{path.stem}"))
        for base in (ROOT / PLACES[place], ROOT / place)
        for path in base.rglob("*.py")
    }
    tests = {
        str(path.relative_to(ROOT / place).with_suffix(""))
        for path in (ROOT / place).rglob("test_*.py")
    }
    spanning = set(SPANNING[place].split())
    assert tests - modules == spanning, (
        "Name a test after its module, in the folder that mirrors the module's, or list it here."
    )
