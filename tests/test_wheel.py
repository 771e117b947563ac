"""The wheel, installed where there is no checkout: it has its models, its board and its pages."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from lengthwise.zoo_paths import list_shipped

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    # a build leaves files beside its source, so a copy is built
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(source)], check=True)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    subprocess.run(
        [*command, "--no-build-isolation", "-w", str(folder), str(source)],
        check=True,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )
    (found,) = folder.glob("*.whl")
    return found


@pytest.mark.slow
def test_the_wheel_has_every_model(wheel: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    zoo = ROOT / "src" / "lengthwise" / "zoo"
    for folder in ("models", "corpora"):
        for file in zoo.glob(f"{folder}/*/*"):
            assert f"lengthwise/{file.relative_to(zoo.parent)}" in inside
    assert "lengthwise/board/entries.json" in inside
    assert wheel.stat().st_size < 20_000_000


@pytest.mark.slow
def test_the_wheel_works_in_a_bare_environment(wheel: Path, tmp_path: Path) -> None:
    """Only what it depends on comes from here; the papers' distribution does not."""
    place = tmp_path / "environment"
    venv.create(place, with_pip=True)
    python = place / "bin" / "python"
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel],
        check=True,
        env=env,
    )
    (packages,) = place.glob("lib/python*/site-packages")
    for other in Path(sysconfig.get_path("purelib")).iterdir():
        if "lengthwise" not in other.name and not (packages / other.name).exists():
            (packages / other.name).symlink_to(other)

    def tell(*command: str) -> str:
        done = subprocess.run(
            command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    code = "import lengthwise, sys; print(lengthwise.__file__)"
    assert tell(str(python), "-c", code).startswith(str(packages))
    program = str(place / "bin" / "lengthwise")
    assert len(tell(program, "zoo").splitlines()) == len(list_shipped()) + 1
    assert "equivalent" in tell(program, "certify", "--check", "zoo:tomita-3", "zoo:tomita-3")
    assert "parity" in tell(program, "board")
    tell(program, "demo", "--preset", "smoke", "--out", "runs")
    assert (tmp_path / "runs" / "report.html").exists()
