"""Telling a person that a run fails: once a trouble and channel, and once when all is over.

Data flow: outcome of a run -> ``$SHOPMIRROR_HOME/incidents.json`` -> e-mail, webhook, chats. Where
they go is set under ``[mail]`` or ``[notify]``; with nothing set, incidents are only kept for
``status``. A channel that did not take a message is tried again after the next run; those that did
are left alone. After each night ``heartbeat_url`` is called, so that a dead machine is noticed by
somebody who waits for the call. Nothing that
names a customer, and no key, is ever in a message (:mod:`pipelines.masking`).
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from email.message import EmailMessage
from functools import partial
from pathlib import Path

import httpx
from pydantic import AwareDatetime, BaseModel, Field, RootModel, SecretStr

from pipelines.json_file import JsonFile, to_the_second
from pipelines.language import Text, shown, use
from pipelines.language.display import spoken
from pipelines.masking import scrub
from pipelines.monitor.sender import MailSettings, NotSent, Sent, channels, new_mail, send_all, why

_MANY = 20
"""Troubles that a message names, at most."""
_OVER_FOR_GOOD = timedelta(days=7)
"""How long a channel that takes nothing is told that a trouble is over."""
_MEANINGS = {
    1: Text("done, but something does not agree or was parked"),
    2: Text("wrong configuration or input"),
    3: Text("the service refused us or could not be reached, or the run was ended"),
}


class NotifySettings(MailSettings):
    """``[mail]`` and what ``[notify]`` says otherwise."""

    section = "notify"

    timeout_seconds: float = Field(20.0, gt=0, description="longest wait, at each step")
    name: str = Field("shopmirror", description="what messages call this installation")
    heartbeat_url: SecretStr = Field(
        SecretStr(""), description="called after each night; who waits for it notices its absence"
    )


def deliver(
    settings: MailSettings,
    subject: str,
    *lines: str,
    without: Collection[str] = (),
    took: Callable[[str], None] = lambda name: None,
) -> Sent:
    """Send a message, in the language of ``[display]``, over every way that is set and not one of
    ``without``; all are tried, and ``took`` hears of each that took it."""
    with use(spoken()):
        subject, text = shown(subject), "\n".join(map(shown, lines))

    def mail() -> EmailMessage:
        message = new_mail(subject, settings.sender, settings.mail_to)
        message.set_content(text)
        return message

    # "text" is what chat services show; the rest is for machines.
    document = {"text": f"{subject}\n{text}", "subject": subject, "body": text}
    return send_all(settings, mail, lambda: document, without=without, took=took)


class Incident(BaseModel):
    """A trouble, and which channels heard of it and of its end."""

    subject: str = ""
    exit_code: int
    message: str = ""
    since: AwareDatetime
    runs: int = 0
    troubles: tuple[str, ...] = ()
    """What the last run found wrong, its exit code first."""
    heard: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Channel -> those it heard of that last; without channels that were told of the end."""
    told_at: AwareDatetime | None = None
    """When a person was told of the newest first; None while no message got through."""
    over_at: AwareDatetime | None = None
    """When it ended; kept until each channel that heard of it was told."""


class _Known(RootModel[dict[str, Incident]]):
    root: dict[str, Incident] = Field(default_factory=dict)


class Incidents:
    """The troubles of one home folder, and who was told.

    ``settings`` None keeps incidents without telling anyone (for readers such as ``status``).
    ``zone`` is that of the shops; None, where they have several, is the machine's.
    """

    def __init__(
        self,
        home: Path,
        settings: NotifySettings | None = None,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        zone: tzinfo | None = None,
    ) -> None:
        self._file = JsonFile(home / "incidents.json", _Known)
        self._settings = settings or NotifySettings()
        self._now, self._zone = now, zone

    def open(self) -> list[Incident]:
        """Troubles that are not over, oldest first."""
        known = self._file.read().root.values()
        return sorted((one for one in known if one.over_at is None), key=lambda one: one.since)

    def failed(
        self, subject: str, exit_code: int, message: str, troubles: Collection[str] = ()
    ) -> bool:
        """A run of ``subject`` failed; True if a person was told now.

        Each channel is told when the exit code is another than that of the run before, or one of
        the ``troubles`` is new. Raises :class:`NotSent` when a channel did not take the message;
        that one is tried again after the next failure.
        """
        named = sorted(map(scrub, troubles))
        found = (str(exit_code), *named)
        with self._file.change() as known:
            now, entry = to_the_second(self._now()), known.root.get(subject)
            if entry is None or entry.over_at is not None:
                heard = entry.heard if entry else {}
                entry = Incident(exit_code=exit_code, since=now, heard=heard)
            if not set(found) <= set(entry.troubles):
                entry.told_at = None
            # What is over and comes again is news.
            entry.heard = {
                name: tuple(one for one in found if one in old) for name, old in entry.heard.items()
            }
            entry.subject, entry.exit_code, entry.troubles = subject, exit_code, found
            entry.message, entry.runs = scrub(message), entry.runs + 1
            known.root[subject] = entry
        return self._tell(entry)

    def catch_up(self) -> Iterator[tuple[str, Callable[[], bool]]]:
        """Each trouble with what tells of it whoever has not heard: a scheduler that was killed
        before it told anybody, and a channel that is new."""
        for subject, entry in self._file.read().root.items():
            is_open = entry.over_at is None
            yield (
                subject,
                partial(self._tell, entry) if is_open else partial(self.recovered, subject),
            )

    def _tell(self, entry: Incident) -> bool:
        subject, found = entry.subject, entry.troubles
        code = entry.exit_code
        meaning = _MEANINGS.get(code) or Text("exit code {code}", code=code)
        since = self._clock(entry.since)
        lines = [
            Text(
                "{job} has failed since {since}: {meaning}.",
                job=subject,
                since=since,
                meaning=meaning,
            ),
            entry.message,
            *found[1:][:_MANY],
            "",
            Text(
                "'shopmirror status' shows the state of the mirror. This message is sent once; "
                "another follows when there is other trouble, and when all is over."
            ),
        ]
        title = Text("{name}: {job} fails", name=self._settings.name, job=subject)
        told = {name for name, heard in entry.heard.items() if heard == found}

        def took(name: str) -> None:
            with self._file.change() as known:
                if known_now := known.root.get(subject):
                    known_now.heard[name] = found
                    known_now.told_at = known_now.told_at or to_the_second(self._now())

        sent = deliver(self._settings, title, *lines, without=told, took=took)
        sent.check()
        return bool(sent.taken)

    def recovered(self, subject: str) -> bool:
        """A run of ``subject`` went well; True if a person was told that the trouble is over.

        Only channels that heard of it are told, each once; one that does not take the message is
        tried again after the next good run, for a week.
        """
        entry = self._file.read().root.get(subject)
        if entry is None:
            return False
        now = to_the_second(self._now())
        over_at = entry.over_at or now
        with self._file.change() as known:
            known.root[subject] = entry.model_copy(update={"over_at": over_at})
        since = self._clock(entry.since)
        text = Text("{job} works again. It had failed since {since}.", job=subject, since=since)
        title = Text("{name}: {job} works", name=self._settings.name, job=subject)
        deaf = set(channels(self._settings)) - set(entry.heard)

        def took(name: str) -> None:
            with self._file.change() as known:
                if known_now := known.root.get(subject):
                    known_now.heard.pop(name, None)

        sent = deliver(self._settings, title, text, without=deaf, took=took)
        if not sent.failed.keys() - set(sent.taken) or now - over_at >= _OVER_FOR_GOOD:
            with self._file.change() as known:
                known.root.pop(subject, None)
        sent.check()
        return bool(sent.taken)

    def _clock(self, moment: datetime) -> str:
        return f"{moment.astimezone(self._zone):%Y-%m-%d %H:%M %Z}"

    def alarm(self, error: str) -> bool:
        """Tell every channel why no job runs, where not even that can be kept: the caller sees to
        it that it is told once. False when no channel is set; :class:`NotSent` if one fails."""
        once = Text("This message is sent once. Jobs run again when that is over.")
        title = Text("{name}: no job runs", name=self._settings.name)
        sent = deliver(self._settings, title, scrub(error), "", once)
        sent.check()
        return bool(sent.taken)

    def beat(self) -> bool:
        """Call ``heartbeat_url``; False when none is set. :class:`NotSent` if it fails."""
        if not self._settings.heartbeat_url:
            return False
        url, seconds = self._settings.heartbeat_url, self._settings.timeout_seconds
        try:
            httpx.get(url.get_secret_value(), timeout=seconds, trust_env=False).raise_for_status()
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NotSent(f"The heartbeat was not taken: {why(error)}.") from None
        return True

    def keep_only(self, subjects: Iterable[str]) -> None:
        """Forget the troubles of all other jobs: a job that is planned no more never recovers."""
        if gone := self._file.read().root.keys() - set(subjects):
            with self._file.change() as known:
                known.root = {name: one for name, one in known.root.items() if name not in gone}
