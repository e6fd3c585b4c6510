"""What lies on the disk, what leaves the machine, and what a clone's Makefile removes."""

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.masking import mask, scrub
from shopmirror.main import main
from tests.app.warehouse import change

ROOT = Path(__file__).parents[2]
KEY = "key-of-the-shop-0123456789"
SECRETS = f"""
[sources.repair_shop]
base_url = "http://127.0.0.1:1/v1"
api_key = "{KEY}"
[mail]
smtp_host = "127.0.0.1"
smtp_password = "mail \\"word\\" 123"
webhook_url = "https://chat.example/hooks/T0/B0/xyz"
[dashboard]
password = "counter and till"
[destination.postgres.credentials]
host = "127.0.0.1"
username = "shopmirror"
password = "pg-word-99"
[destination.other]
credentials = "postgresql://shop:p%40ss-word@127.0.0.1/mirror"
"""
VALUES = (
    KEY, 'mail "word" 123', "https://chat.example/hooks/T0/B0/xyz", "counter and till",
    "pg-word-99", "p@ss-word", "p%40ss-word",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with settings, and its home."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOPMIRROR_HOME", str(tmp_path / "data"))
    (tmp_path / ".dlt").mkdir()
    path = tmp_path / ".dlt" / "secrets.toml"
    path.write_text(SECRETS)
    path.chmod(0o600)
    return tmp_path


@pytest.mark.parametrize("marker", [True, False])
def test_make_clean_removes_the_demo_and_spares_a_shop(tmp_path, marker):
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("data/outbox.sqlite", "build/x", "dist/x"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    if marker:
        (tmp_path / "data" / "demo.json").write_text("{}")
    subprocess.run(["make", "clean"], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    assert not (tmp_path / "build").exists() and not (tmp_path / "dist").exists()
    assert (tmp_path / "data" / "outbox.sqlite").exists() is not marker


def test_a_crash_tells_neither_secrets_nor_customers(folder, monkeypatch, capsys):
    said = f'cannot use "Ana Perez" with {VALUES}, ana@example.org, +502 5555 1234'

    def broken(*_, **__):
        raise RuntimeError(said)

    monkeypatch.setattr("shopmirror.commands.plan.work_out", broken)
    assert main(["plan"]) == 1
    (log,) = (folder / "data" / "logs").glob("error-*.log")
    assert log.stat().st_mode & 0o077 == 0
    said = capsys.readouterr().err
    assert log.name in said and "Traceback" not in said
    told = said + log.read_text()
    assert "RuntimeError" in told and "Traceback" in told and "plan.py" in told
    for value in (*VALUES, "Ana Perez", "ana@example.org", "5555 1234"):
        assert value not in told


def test_every_form_of_a_secret_is_masked(folder):
    for text in (KEY, f"?key={KEY}", 'mail \\"word\\" 123', "mail%20%22word%22%20123", *VALUES):
        assert not any(value in mask(f"it said {text}.") for value in VALUES)
        assert "word" not in mask(f"it said {text}.").replace("***", "")
    assert mask("user shopmirror at 127.0.0.1") == "user shopmirror at 127.0.0.1"
    assert scrub("Authorization: abc, 12 rows") == "Authorization: ***, 12 rows"


def test_a_secret_in_config_toml_is_told(folder, capsys):
    (folder / ".dlt" / "config.toml").write_text('[dashboard]\npassword = "counter and till"\n')
    main(["query", "select 1"])
    said = capsys.readouterr().err
    assert "config.toml holds dashboard.password" in said
    assert "counter and till" not in said


@pytest.mark.parametrize(
    "command",
    [
        ["queue", "add", "customers", "--op", "create", "--json", '{"name": "Ana"}'],
        ["schedule", "--once"],
        ["dashboard", "--host", "256.0.0.1"],
        ["status"],
    ],
    ids=lambda command: command[0],
)
def test_a_home_stays_out_of_version_control(folder, command, monkeypatch):
    monkeypatch.setenv("DASHBOARD__PASSWORD", "counter and till")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    main(command)
    if not (folder / "data").exists():
        return
    assert (folder / "data" / ".gitignore").exists()
    told = subprocess.run(
        ["git", "status", "--porcelain", "-uall"], cwd=folder, capture_output=True, text=True
    ).stdout
    assert "data/" not in told and "secrets.toml" in told


@pytest.mark.parametrize(
    ("name", "values", "fault"),
    [
        ("MAIL__WEBHOOK_URL", {"MAIL__WEBHOOK_URL": "http://chat.example/x"}, "webhook_url"),
        (
            "MAIL__SMTP_USER",
            {
                "MAIL__SMTP_HOST": "mail.example",
                "MAIL__SMTP_SECURITY": "none",
                "MAIL__SMTP_USER": "shop",
                "MAIL__MAIL_TO": "a@example.org",
            },
            "smtp_security",
        ),
        ("MAIL__CHAT", {"MAIL__CHAT": "slack://a/b/c, json://shop:pw@chat.example/x"}, "chat 2"),
        ("MAIL__CHAT", {"MAIL__CHAT": "ntfy://chat.example/topic"}, "chat 1"),
    ],
)
def test_messages_do_not_cross_a_network_in_the_clear(
    folder, monkeypatch, capsys, name, values, fault
):
    (folder / ".dlt" / "secrets.toml").write_text(SECRETS.split("[mail]")[0])
    for variable, value in values.items():
        monkeypatch.setenv(variable, value)
    assert main(["test-mail"]) == 2
    said = capsys.readouterr().err
    assert fault in said and "allow_http" in said and "shop:pw" not in said
    from pipelines.monitor.sender import MailSettings

    monkeypatch.setenv("MAIL__ALLOW_HTTP", "true")
    assert MailSettings.load().allow_http


def test_no_part_of_an_exported_text_is_a_formula(home, tmp_path, monkeypatch):
    texts = {
        "=1+1": "'=1+1",
        "paid;=cmd()": "paid;'=cmd()",
        "paid\n+1": "paid\n'+1",
        "a;b": "a;b",
        "1;;@x": "1;;'@x",
        "no = sign": "no = sign",
    }
    for place, text in enumerate(texts):
        of_these = f"(select document_id from marts.receivables order by 1 limit 1 offset {place})"
        change(home, f"update marts.receivables set customer_name = '{text}' "
                     f"where document_id = {of_these}")  # fmt: skip
    monkeypatch.setenv("SHOPMIRROR_HOME", str(home))
    assert main(["export", "receivables", "--to", str(tmp_path / "out")]) == 0
    with (tmp_path / "out" / "receivables.csv").open(encoding="utf-8-sig", newline="") as file:
        written = {row["customer_name"] for row in csv.DictReader(file)}
    assert set(texts.values()) <= written
    assert not {text for text, shown in texts.items() if text != shown} & written


def test_a_query_ends_when_its_reader_has_enough(home):
    rows = "select i, repeat('x', 200) from range(100000000) t(i)"
    command = f'{sys.executable} -m shopmirror query --csv "{rows}" | head -3'
    done = subprocess.run(
        ["bash", "-c", command],
        env={"SHOPMIRROR_HOME": str(home), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=120, cwd=ROOT,
    )  # fmt: skip
    assert len(done.stdout.splitlines()) == 3
    assert "Traceback" not in done.stderr and "unexpected" not in done.stderr


def test_the_unit_is_fenced_and_says_when_it_is_roots(folder, capsys):
    assert main(["schedule", "--print", "systemd"]) == 0
    said = capsys.readouterr()
    if "User=root" in said.out:
        assert "would run as root" in said.err
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("no systemd on this machine")
    unit = folder / "shopmirror.service"
    unit.write_text(said.out.replace("User=root", "User=daemon"))
    done = subprocess.run(
        [analyze, "security", "--offline=true", "--threshold=20", str(unit)],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-300:]
