"""The checker runs without anything that it need not trust."""

import re
import subprocess
import sys
from pathlib import Path

import lengthwise

VECTORS = Path(__file__).parents[1] / "vectors"
ROOM = Path(lengthwise.__file__).parent / "proofs" / "check"
NEVER = (
    *("torch", "networkx", "automata", "aalpy", "jinja2", "matplotlib", "rich"),
    *(f"lengthwise.{name}" for name in ("layers", "models", "training", "problems", "notebooks")),
    *(f"lengthwise.{name}" for name in ("objectives", "constructions", "evaluation", "tasks")),
    *("lengthwise.proofs.search", "lengthwise.proofs.export"),
)
CODE = """
import sys
from importlib import import_module
from pathlib import Path

for module in sys.argv[2].split():
    import_module(f"lengthwise.proofs.check.{module}")
from lengthwise.proofs.check.certificate import Certificate
from lengthwise.proofs.check.induction import check

for name in sys.argv[1].split():
    print(check(Certificate.load(Path(name))).statement)
never = sys.argv[3].split()
print([each for each in sys.modules if any(f"{each}.".startswith(f"{name}.") for name in never)])
"""


def run(*arguments: str) -> str:
    command = [sys.executable, "-c", CODE, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_loads_no_network_and_no_search() -> None:
    modules = " ".join(sorted(path.stem for path in ROOM.glob("*.py") if path.stem != "__init__"))
    assert "induction" in modules
    files = sorted(VECTORS.glob("valid-*.json"))
    assert len(files) > 20
    said = run(" ".join(map(str, files)), modules, " ".join(NEVER)).splitlines()
    assert len(said) == len(files) + 1
    assert said[-1] == "[]"


def test_what_is_loaded_is_seen() -> None:
    said = run("", "certificate", "numpy lengthwise.languages").splitlines()
    assert "'numpy'" in said[-1]
    assert "'lengthwise.languages.language'" in said[-1]


SHARED = {
    *("balls", "bfloat16_balls", "bounded"),
    *(
        "node",
        "layer_node",
        "tight_node",
        "recurrent_node",
        "snapped_node",
        "window_node",
        "slot_node",
        "table_node",
        "program_node",
    ),
}
"""Modules that compute for both, as docs/certificate.md says."""

DATA = {"arrays", "certificate", "margins", "networks"}
"""Types and names of values that they exchange."""


def test_the_search_shares_what_the_page_says() -> None:
    search = (ROOM.parent / "search").glob("*.py")
    text = "\n".join(path.read_text(encoding="utf-8") for path in search)
    named = set(re.findall(r"from lengthwise\.proofs\.check\.(\w+) import", text))
    assert named <= SHARED | DATA | {"induction"}  # which `certify` asks, as anybody else
    page = (Path(__file__).parents[3] / "docs" / "certificate.md").read_text(encoding="utf-8")
    _, _, after = page.partition("**What the search shares with the first checker.**")
    shared = after.partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", shared)) >= SHARED
