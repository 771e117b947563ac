"""The command `train`: what is imported and executed for a default run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import lengthwise

MOST_FILES = 130
"""Budget: files of the package with code that a default run executes."""

COUNT = """
import sys
entered = set()
def seen(frame, event, argument):
    if event == "call" and frame.f_code.co_filename.startswith(HERE):
        entered.add(frame.f_code.co_filename)
sys.setprofile(seen)
from lengthwise.cli.main import main
status = main(["train", "parity", "--preset", "smoke", "--out", "run", "--json"])
sys.setprofile(None)
print(*sorted(entered), sep="\\n", file=open("entered", "w"))
sys.exit(status)
"""


@pytest.mark.slow
def test_a_default_run_executes_code_of_few_files(tmp_path: Path) -> None:
    """What belongs to other problems, models, objectives and languages is not even imported."""
    here = Path(lengthwise.__file__).parent
    script = COUNT.replace("HERE", repr(str(here)))
    environment = {**os.environ, "PYTHONPATH": str(here.parent)}
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, check=True)
    entered = (tmp_path / "entered").read_text(encoding="utf-8").split("\n")
    names = {str(Path(each).relative_to(here)) for each in entered if each}
    assert "objectives/composition.py" in names
    assert not {"objectives/codebook.py", "models/encoder.py", "languages/ltl.py"} & names
    assert len(names) <= MOST_FILES, sorted(names)
