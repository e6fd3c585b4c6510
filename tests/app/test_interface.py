"""What the interface page fixes, through the command line."""

import ast
from pathlib import Path

from sandbox.server import SandboxServer
from sandbox.shops import ShopSpec
from shopmirror.main import main
from tests.app.command_line import PREFIX
from tests.app.command_line import home_of_its_own as home_of_its_own
from tests.promises import promise

ROOT = Path(__file__).parents[2]
CODES = {
    **dict.fromkeys(["LoadError", "LeaseError", "ModelsFailed", "OutcomeUnknown"], 1),
    **dict.fromkeys(
        "UnknownResource ConfigurationError SettingsError LedgerError HomeError ReportError "
        "NothingPublished QueryFailed OutboxError BodyError CommandError UnitError".split(),
        2,
    ),
    **dict.fromkeys(["ShopError", "NotSent"], 3),
    **dict.fromkeys(["AlreadyRunning", "Stopped", "SyncRunning", "PushBusy"], 4),
}
"""Exception -> how a command ends with it (interface, exit codes)."""


def _declared():
    for top in ("sources", "pipelines", "schedules", "shopmirror"):
        for path in (ROOT / top).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                for one in node.body if isinstance(node, ast.ClassDef) else ():
                    if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "exit_code":
                        yield node.name, ast.literal_eval(one.value)


@promise("every end has the exit code of the interface")
def test_an_error_ends_a_command_with_the_code_of_the_interface():
    found = dict(_declared())
    assert set(found.values()) <= {1, 2, 3, 4}
    assert {name: code for name, code in found.items() if CODES.get(name, code) != code} == {}
    assert len(set(found) & set(CODES)) > 15


def test_two_shops_of_one_key_are_refused_and_nothing_is_sent(monkeypatch, capfd):
    with SandboxServer([ShopSpec(records=[])]) as server:
        monkeypatch.setenv(PREFIX + "BASE_URL", server.base_url)
        for shop in ("NORTH", "SOUTH"):
            monkeypatch.setenv(f"{PREFIX}SHOPS__{shop}__API_KEY", server.keys["main"])
        assert main(["plan"]) == 2
        assert server.requests() == []
    told = capfd.readouterr().err
    assert "north" in told and "south" in told and server.keys["main"] not in told
