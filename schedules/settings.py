"""Times and limits of the scheduler: ``[schedule]`` and ``[retention]`` -> frozen objects.

Read from dlt's places like every setting: ``.dlt/config.toml`` or ``SCHEDULE__SYNC_AT=23:15``.
"""

import re

from pydantic import Field, ValidationInfo, field_validator

from pipelines.settings import WEEKDAY, WEEKDAYS, Section, existing_zone

AFTER_SYNC = "after sync"
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


class ScheduleSettings(Section):
    """When what runs. Times are ``HH:MM`` on the wall of the shop's zone; ``off`` is never."""

    section = "schedule"

    timezone: str = Field("", description="IANA name; by default each shop's own")
    sync_at: str = Field("22:30", description="HH:MM, or 'off'")
    push_every_minutes: int = Field(5, ge=0, le=1440, description="0 switches pushes off")
    report_at: str = Field(AFTER_SYNC, description="HH:MM, 'after sync' or 'off'")
    report_send: bool = Field(False, description="also send it as [mail] says")
    audit_at: str = Field("04:00", description="HH:MM: old slices are read again, reports repaired")
    audit_on: str = Field("sun", description="day of the week, or 'off'")
    audit_requests: int = Field(
        600, ge=0, description="requests of the weekly audit spent re-reading old slices"
    )
    housekeeping_at: str = Field("05:30", description="HH:MM: what is kept long enough is removed")

    @field_validator("sync_at", "audit_at", "housekeeping_at", "report_at", mode="before")
    @classmethod
    def _is_a_time(cls, value: object, info: ValidationInfo) -> str:
        text = str(value).strip().lower()
        # TOML knows times without quotes too: 22:30:00.
        text = text.removesuffix(":00") if text.count(":") == 2 else text
        words = (AFTER_SYNC, "off") if info.field_name == "report_at" else ("off",)
        if text not in words and not _TIME.fullmatch(text):
            raise ValueError(f"must look like 22:30 (or {' or '.join(map(repr, words))})")
        return text

    @field_validator("audit_on", mode="before")
    @classmethod
    def _is_a_weekday(cls, value: object) -> str:
        text = str(value).strip().lower()
        if text != "off" and not WEEKDAY.fullmatch(text):
            raise ValueError(f"must be one of {', '.join(WEEKDAYS)} or 'off'")
        return text[:3]

    @field_validator("timezone")
    @classmethod
    def _zone_exists(cls, value: str) -> str:
        return value and existing_zone(value)


class RetentionSettings(Section):
    """How long things are kept, in days; 0 keeps for ever."""

    section = "retention"

    logs_days: int = Field(30, ge=0, description="log files")
    reports_days: int = Field(400, ge=0, description="closing reports in the reports folder")
