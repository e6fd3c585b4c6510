"""Changes in doubt: what happened to a request whose answer never came.

A change is in doubt when its request left, or may have left, and no answer was kept: a time-out, a
reset, a 5xx, a kill. It is looked up, never resent blindly:

* A create is looked for among the records that are new since before it was sent
  (:mod:`pipelines.outbox.lookup`). Exactly one that shows what was sent: adopted. Several, or one
  that differs: left for a person, with their ids. None in two whole lookups, the last at least
  ``settle_minutes`` of the service after the request: it is not there and is sent again (or, if the
  service refused it, rejected), unless the list does not show what was made before it either.
* An update is looked for in its record. Shows ours: adopted. Still shows what it showed before, or
  the fields are not visible: sent again, as setting a value twice sets it once. Fields that act
  each time (add stock, print, add to an adjustment) are sent again only on evidence that the
  request was not applied. Shows something else: left for a person.
* A delete: the record is gone, adopted; still there, sent again, or left for a person if the
  service had answered that it is done.
* An upload: nothing lists uploads. Before the place for it is known, another is asked for (a place
  without a file is no file); after, the file is sent to the same place, which holds one file.
* A payment is adopted if it is found, and otherwise left for a person, however often it is looked
  for. Absence at one moment does not prove that a slow service will not still book it, and a
  customer charged twice costs more than a person's look at the till.
"""

import time
from decimal import Decimal
from typing import Any

from pipelines.outbox.change import Fields, Group, State
from pipelines.outbox.compare import bag, pictured, retains
from pipelines.outbox.order import ONCE_ONLY
from pipelines.outbox.outcome import fenced, leave, settle_done
from pipelines.outbox.recent import LookupUnsure, Verdict
from pipelines.outbox.sending import EXISTS, MOST_SILENT, TOO_FAST, Sender
from pipelines.outbox.store import Change
from pipelines.settings import ShopSettings
from sources.repair_shop.errors import BadAnswer, ShopError, Unreachable

LOOKUPS = 2
"""Whole lookups without a trace before a change counts as absent."""
SETTLE_SECONDS = 60.0
"""From the moment the answer was given up to the last of them (of a real minute; scales with the
service's). What would act twice has ``settle_minutes``."""
_RECENT_SECONDS = 3600.0
"""Records that we made since must be in a list, or it does not show what is new."""
MOST_SENDS = 3
"""After so many sends somebody should look at why answers get lost."""


class Resolver:
    """Resolves the changes in doubt of one shop."""

    def __init__(self, sender: Sender) -> None:
        self._sender, self._outbox, self._lookup = sender, sender.outbox, sender.lookup
        self._hook = sender.hook
        self._shop = ShopSettings.of(sender.client.shop)

    def resolve(self, group: Group) -> None:
        """Look once and act on what is found."""
        with fenced(self._outbox, group):
            self._resolve(group)

    def _resolve(self, group: Group) -> None:
        change = group[0]
        # The word that it came too fast holds, but for money, if nothing tells otherwise.
        unsaid: Any = "absent" if _too_fast(change) and change.resource != "payments" else "unclear"
        asked = time.time()
        try:
            verdict = self._verdict(change)
        except LookupUnsure as unsure:
            verdict = Verdict(unsaid, str(unsure))
        except BadAnswer as error:
            kind: Any = "late" if error.transient else unsaid
            verdict = Verdict(kind, f"lookup failed: {error}")
        except ShopError as error:
            self._not_shown(group, error)
            return
        self._hook("looked", change.number)
        if verdict.kind == "applied":
            # It takes writes, then, and only its answers get lost.
            self._sender.silence.count = 0
            body = change.sent_body or {}
            found = verdict.id or str(change.record_id)
            settle_done(self._outbox, group, body, found, f"found: {verdict.found}", "adopted")
            self._lookup.created(change.resource, found)
            self._hook("adopted", change.number)
        elif verdict.kind == "absent":
            self._absent(group, verdict)
        elif verdict.kind == "late" and self._may_show_yet(change, asked):
            self._wait(group, verdict.found)
        else:
            leave(self._outbox, group, verdict.found)

    def _not_shown(self, group: Group, error: ShopError) -> None:
        """No answer to a lookup: perhaps for this record alone; the service may be silent, too."""
        if not isinstance(error, Unreachable) or not error.sent:
            raise error
        self._wait(group, str(error))
        self._sender.silence.count += 1
        self._sender.silence.check(MOST_SILENT)

    def _verdict(self, change: Change) -> Verdict:
        body = change.sent_body or {}
        if change.op == "create":
            others = self._outbox.creates(change, State.IN_DOUBT)
            return self._lookup.find_created(
                change,
                ours=self._outbox.made_by_others(change),
                made=self._outbox.made_since(change, time.time() - _RECENT_SECONDS),
                others=[other.sent_body or {} for other in others],
            )
        if change.op == "upload":
            return Verdict("absent", "nothing lists uploads; the place takes one file")
        if change.op == "delete":
            return self._lookup.deleted(change.resource, str(change.record_id))
        row = self._lookup.record(change.resource, str(change.record_id))
        if row is None:
            raise LookupUnsure("the record was deleted meanwhile")
        return self._updated(change, body, row)

    def _updated(self, change: Change, body: Fields, row: Fields) -> Verdict:
        before = (change.baseline or {}).get("before", {})
        found = _acting(body, before, row)
        for name, value in body.items():
            was, now = (
                retains(change.resource, name, value, shown, self._shop.zone)
                for shown in (before, row)
            )
            if was is not True and now is not None:
                old, new = (pictured(change.resource, name, shown) for shown in (before, row))
                found[name] = "applied" if now else "absent" if old == new else "unclear"
        ours, unmoved, other, late = (
            [name for name in found if found[name] == kind]
            for kind in ("applied", "absent", "unclear", "late")
        )
        if ours and not (unmoved or other or late):
            return Verdict("applied", f"shows ours in {', '.join(ours)}", change.record_id)
        if not ours and unmoved and not other:
            return Verdict("absent", f"{', '.join(unmoved)} as before")
        if late and not ours and not other:
            # The answer's word that it had no effect is the only one there is.
            kind: Any = "absent" if _too_fast(change) else "late"
            return Verdict(kind, "stockQuantity does not show, and must not be sent twice")
        once = sorted(name for name in ONCE_ONLY & body.keys() if body[name])
        if not ours and not unmoved and not other and not once:
            return Verdict("absent", "no field of it is visible; sending twice sets it once")
        why = "it cannot be told whether it was applied"
        if once:
            why += f"; {', '.join(once)} must not be sent twice"
        if ours:
            why += f"; {', '.join(ours)} show ours, {', '.join(unmoved + other + late)} do not"
        raise LookupUnsure(why)

    def _absent(self, group: Group, verdict: Verdict) -> None:
        change = group[0]
        if change.for_person:
            # Whoever looks at it may have deleted it as a double: only a person sends it again.
            self._outbox.set(group, "looked up", verdict.found)
            return
        lookups = change.lookups + 1
        refused = change.progress.get("refused") == EXISTS
        harmless = change.op == "upload" or (refused and change.op == "delete")
        settled = self._since(change) >= self._settle(change)
        if not harmless and (not settled or (lookups < LOOKUPS and not refused)):
            # For a "no" that is likely meant so, no push waits: the next one looks again.
            never = {"next_lookup": None} if refused else {}
            self._wait(group, verdict.found, lookups=lookups, **never)
            return
        if refused:
            why = f"refused: {change.answer}; {verdict.found}"
            self._outbox.settle(group, "rejected", why, state=State.REJECTED)
            return
        why = ""
        either = f"'queue retry {change.number}' or 'queue discard {change.number}'"
        if change.resource == "payments" and not _too_fast(change):
            why = (
                f"{verdict.found}, in {lookups} lookups. A payment is not sent again by itself: "
                f"check the invoice, then {either}"
            )
        elif change.progress.get("said_done"):
            why = (
                f"{verdict.found}, though the service answered that it was done. Do it at the "
                f"service, or {either}"
            )
        elif change.attempts >= MOST_SENDS and not _too_fast(change):
            why = f"{verdict.found}, though sent {change.attempts} times ({change.reason})"
        if why:
            leave(self._outbox, group, why)
            return
        # One more than that was sent again, to see whether the service is back.
        self._sender.silence.check(MOST_SILENT + 1)
        self._outbox.set(group, "absent", verdict.found)
        self._sender.resend(group)

    def _wait(self, group: Group, found: str, **columns: Any) -> None:
        """Look again once five times as long has gone by, at the end of the time to settle at the
        latest: the last look tells, those before only spare a wait."""
        since = self._since(group[0])
        least = self._shop.seconds(SETTLE_SECONDS) / 4
        settle = self._settle(group[0])
        last = max(settle - since, least) if since < settle else settle
        wait = last if _too_fast(group[0]) else min(max(4 * since, least), last)
        due = {"next_lookup": self._outbox.now() + wait}
        self._outbox.set(group, "looked up", found, **(due | columns))

    def _may_show_yet(self, change: Change, asked: float) -> bool:
        """Whether a list that was late when ``asked`` may still show what it lacked: ours, or
        others that we made just before."""
        settle = self._settle(change)
        made = change.op == "create" and self._outbox.made_since(change, asked - settle)
        return bool(made) or self._since(change) < settle

    def _since(self, change: Change) -> float:
        """Seconds since its answer was given up."""
        return self._outbox.now() - (change.sent_at or 0)

    def _settle(self, change: Change) -> float:
        """Seconds from then on after which a record that holds it would show it."""
        acts = change.op == "create" or ONCE_ONLY & (change.sent_body or {}).keys()
        tells_no = change.progress.get("refused") == EXISTS
        minutes = self._shop.settle_minutes if acts or tells_no else 1
        return self._shop.seconds(SETTLE_SECONDS) * minutes


def _too_fast(change: Change) -> bool:
    """Whether the service said that it took nothing, as there were too many requests."""
    return change.progress.get("refused") == TOO_FAST


def _acting(body: Fields, before: Fields, row: Fields) -> dict[str, str]:
    """What the record tells of fields that act: stock added, products of an adjustment."""
    found: dict[str, str] = {}
    if "stockQuantity" in body and before.get("stock") is not None and row.get("stock") is not None:
        grown = Decimal(str(row["stock"])) - Decimal(str(before["stock"]))
        added = grown == Decimal(str(body["stockQuantity"]))
        # Not every stock is counted where it is shown, but a record that was written says when.
        is_unwritten = row.get("last_updated") and row["last_updated"] == before.get("last_updated")
        still = "absent" if is_unwritten else "late"
        found["stockQuantity"] = "applied" if added else still if grown == 0 else "unclear"
    lists = sorted(body.keys() & {"add_products", "update_products", "delete_products"})
    if lists and "products" in before and isinstance(row.get("products"), list):
        old, new = bag(before["products"]), bag(row["products"])
        more = len(body.get("add_products", ())) - len(body.get("delete_products", ()))
        grew = len(new) - len(old) == more
        found |= dict.fromkeys(lists, "absent" if old == new else "applied" if grew else "unclear")
    return found
