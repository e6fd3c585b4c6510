"""Telling a person that a run fails: once an incident, and once when it is over.

Data flow: outcome of a run -> ``$SHOPMIRROR_HOME/incidents.json`` -> e-mail or webhook. Where they
go is set under ``[mail]`` or ``[notify]``; with nothing set, incidents are only kept for
``status``. A message that could not be delivered is tried again after the next run. Nothing that
names a customer, and no key, is ever in a message (:mod:`pipelines.masking`).
"""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from email.message import EmailMessage
from pathlib import Path

from pydantic import AwareDatetime, BaseModel, Field, RootModel, field_validator

from pipelines.json_file import JsonFile, to_the_second
from pipelines.masking import scrub
from pipelines.monitor.sender import MailSettings, load_mail, new_mail, send_all

_MEANINGS = {
    1: "done, but something does not agree or was parked",
    2: "wrong configuration or input",
    3: "the service refused us or could not be reached, or the run was ended",
}


class NotifySettings(MailSettings):
    """``[mail]`` and what ``[notify]`` says otherwise."""

    timeout_seconds: float = Field(20.0, gt=0, description="longest wait, at each step")
    name: str = Field("shopmirror", description="what messages call this installation")

    @field_validator("name")
    @classmethod
    def _name_fits_a_header(cls, value: str) -> str:
        if not value.isprintable():
            raise ValueError("holds characters that no header may have")
        return value


class NotifyError(Exception):
    """A message could not be delivered. It says over which way and why, never with a secret."""

    exit_code = 3


def load_notify() -> NotifySettings:
    """Read ``[mail]`` and ``[notify]``; ``SettingsError`` names all faults."""
    return load_mail("notify", NotifySettings)


def deliver(settings: NotifySettings, subject: str, text: str) -> list[str]:
    """Send a message over every way that is set; the ways taken, none when nothing is set.

    Every way is tried; :class:`NotifyError` when one failed.
    """

    def mail() -> EmailMessage:
        message = new_mail(subject, settings.sender, settings.mail_to)
        message.set_content(text)
        return message

    # "text" is what chat services show; the rest is for machines.
    document = {"text": f"{subject}\n{text}", "subject": subject, "body": text}
    taken, failed = send_all(settings, mail, lambda: document)
    if failed:
        troubles = ", ".join(f"{_WAYS[name]} ({why})" for name, why in failed)
        raise NotifyError(f"The message could not be sent by {troubles}.")
    return [_WAYS[name] for name in taken]


_WAYS = {"mail": "e-mail", "webhook": "webhook"}


class Incident(BaseModel):
    """A trouble that is not over. ``told_at`` is None while no message got through."""

    subject: str = ""
    exit_code: int
    message: str = ""
    since: AwareDatetime
    runs: int = 0
    told_at: AwareDatetime | None = None
    ever_told: bool = False
    """Of this exit code or of one before it."""


class _Known(RootModel[dict[str, Incident]]):
    root: dict[str, Incident] = Field(default_factory=dict)


class Incidents:
    """The troubles of one home folder, and who was told.

    ``settings`` None keeps incidents without telling anyone (for readers such as ``status``).
    """

    def __init__(
        self,
        home: Path,
        settings: NotifySettings | None = None,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._file = JsonFile(home / "incidents.json", _Known)
        self._settings = settings
        self._now = now

    def open(self) -> list[Incident]:
        """Troubles that are not over, oldest first."""
        return sorted(self._file.read().root.values(), key=lambda incident: incident.since)

    def failed(self, subject: str, exit_code: int, message: str) -> bool:
        """A run of ``subject`` failed; True if a person was told now.

        Told once for each exit code in a row: going from "does not agree" to "refused" is news,
        the same trouble again is not. Raises :class:`NotifyError` when the message did not get
        through; the next failure tries again.
        """
        with self._file.change() as known:
            now, before = to_the_second(self._now()), known.root.get(subject)
            entry = before or Incident(exit_code=exit_code, since=now)
            if entry.exit_code != exit_code:
                entry.exit_code, entry.told_at, entry.runs = exit_code, None, 0
            entry.subject, entry.message, entry.runs = subject, scrub(message), entry.runs + 1
            known.root[subject] = entry
        if entry.told_at is not None or self._settings is None:
            return False
        meaning = _MEANINGS.get(exit_code, f"exit code {exit_code}")
        lines = [
            f"{subject} fails since {entry.since.isoformat()}: {meaning}.",
            scrub(message),
            "",
            "'shopmirror status' shows the state of the mirror. This message is sent once; "
            "another follows when the trouble is over.",
        ]
        title = f"{self._settings.name}: {subject} fails"
        if not deliver(self._settings, title, "\n".join(lines)):
            return False
        with self._file.change() as known:
            if told := known.root.get(subject):
                told.told_at, told.ever_told = to_the_second(self._now()), True
        return True

    def recovered(self, subject: str) -> bool:
        """A run of ``subject`` went well; True if a person was told that the trouble is over."""
        entry = self._file.read().root.get(subject)
        if entry is None:
            return False
        sent = False
        if self._settings is not None and entry.ever_told:
            text = f"{subject} works again. It failed since {entry.since.isoformat()}."
            sent = bool(deliver(self._settings, f"{self._settings.name}: {subject} works", text))
        with self._file.change() as known:
            known.root.pop(subject, None)
        return sent

    def keep_only(self, subjects: Iterable[str]) -> None:
        """Forget the troubles of all other jobs: a job that is planned no more never recovers."""
        if gone := self._file.read().root.keys() - set(subjects):
            with self._file.change() as known:
                known.root = {name: one for name, one in known.root.items() if name not in gone}
