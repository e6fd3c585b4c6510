"""The wheel, installed as a stranger would, in a folder whose packages are called like ours."""

import json
import os
import shutil
import site
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from sandbox.server import SandboxServer
from setup import OURS, Renamed, renamed

ROOT = Path(__file__).parents[2]
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "target", "logs", ".ipynb_checkpoints")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built without a network, from a copy: a build leaves files beside its sources."""
    tree = tmp_path_factory.mktemp("tree")
    for name in ("shopmirror", *OURS):
        shutil.copytree(ROOT / name, tree / name, ignore=_LEFT_OUT)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    build = "import sys, setuptools.build_meta as b; b.build_wheel(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", build, str(tree / "dist")], cwd=tree, check=True, capture_output=True
    )
    (made,) = (tree / "dist").iterdir()
    return made


@pytest.fixture(scope="module")
def program(wheel, tmp_path_factory):
    """The command of an environment that has the wheel, and of this one only the libraries."""
    folder = tmp_path_factory.mktemp("env")
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    # Named in a .pth file, this environment's own .pth files (an editable install) do not count.
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()))
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install"]
    options = ["--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    subprocess.run([*pip, *options, str(wheel)], check=True, capture_output=True)
    return folder / "bin" / "shopmirror"


def test_all_packages_lie_under_one(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"shopmirror"}
    assert {f"shopmirror/{name}/__init__.py" for name in OURS} <= set(names)
    for held in ("transforms/compiled/files.txt", "notebooks/01_start_here.ipynb"):
        assert f"shopmirror/{held}" in names


def test_it_works_beside_folders_called_like_ours(program, tmp_path):
    for name in OURS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('not this one')\n")
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env["PYTHONPATH"] = str(tmp_path)

    def run(*words):
        done = subprocess.run(
            [str(program), *words], cwd=tmp_path, env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert run("--version").startswith("shopmirror ")
    with SandboxServer(minute_seconds=0.2) as server:
        env["SOURCES__REPAIR_SHOP__BASE_URL"] = server.base_url
        env["SOURCES__REPAIR_SHOP__API_KEY"] = server.keys["main"]
        env["SOURCES__REPAIR_SHOP__MINUTE_SECONDS"] = "0.2"
        document = json.loads(run("sync", "taxRates", "--json"))
        assert document["outcome"] == "complete", document
        assert (tmp_path / "data" / "warehouse.duckdb").exists()
        asked = "select count(*) as n from staging.tax_rates"
        assert json.loads(run("query", asked, "--json")) == [{"n": 3}]
    # Models of one's own begin as a copy of those in the wheel.
    run("models", "--to", "mine")
    ours = {
        one.relative_to(ROOT / "transforms")
        for one in (ROOT / "transforms" / "models").rglob("*.sql")
    }
    assert ours == {
        one.relative_to(tmp_path / "mine") for one in (tmp_path / "mine" / "models").rglob("*.sql")
    }
    run("notebooks", "--to", "notes")
    text = (tmp_path / "notes" / "01_start_here.ipynb").read_text(encoding="utf-8")
    assert "from shopmirror.pipelines.publish.reading import" in text


def test_imports_are_named_as_they_are_in_the_wheel():
    source = (
        "import transforms\nimport sandbox.server as s\n"
        "def f():\n    from pipelines.home import Home\n"
    )
    assert renamed(source, "here") == (
        "from shopmirror import transforms\nfrom shopmirror.sandbox import server as s\n"
        "def f():\n    from shopmirror.pipelines.home import Home\n"
    )
    same = "from . import sources\nimport pipelines_of_others\nfrom os import path\n"
    assert renamed(same, "here") == same
    with pytest.raises(Renamed, match="here:1"):
        renamed("import pipelines.home\n", "here")
