"""All tickets of services that tell statuses from each other in ways of their own."""

from datetime import UTC, datetime

import pytest

from sources.repair_shop.open_statuses import probe_pipeline, read_probe
from tests.fakes.loopback import Reply, Seen
from tests.mirror.stranger import NOT_FOUND, rows_of

LABELS = ("New", "Open", "Done")
STATUSES = [{"id": n, "label": label, "type": "repair"} for n, label in enumerate(LABELS)]


def ticket(number: int, label: str, day: str = "2026-03-04") -> dict:
    created = f"{day}T{10 + number // 60}:{number % 60:02d}:00-0600"
    return {"id": f"t{number}", "status": {"label": label}, "created_date": created}


def listed(tickets: list[dict], query: dict[str, str], ways: str) -> list[dict]:
    """The tickets of a status, of the others, or of the pipeline, as a service of these ways tells
    them."""
    wanted = query.get("status")
    tickets = [row for row in tickets if row["status"]]
    if wanted is None or ways == "no status":
        return [row for row in tickets if row["status"]["label"] != "Done"]
    is_not = query.get("statusCondition") == "NOT-EQUAL" and ways != "no condition"
    found = [row for row in tickets if (row["status"]["label"] == wanted) != is_not]
    hides = ways == "pipeline" or (ways == "pipeline but of one status" and is_not)
    return [row for row in found if not hides or row["status"]["label"] != "Done"]


def page_of(rows: list[dict], query: dict[str, str]) -> list[dict]:
    """The fifty that are asked for, the newest first unless the oldest are wanted."""
    begin = 50 * int(query.get("page", 1)) - 50
    return rows[:: 1 if query.get("sort") == "oldest" else -1][begin : begin + 50]


@pytest.mark.parametrize(
    ("ways", "changed", "code"),
    [
        ("no condition", "edited", 0),
        ("no condition", "missing", 0),
        ("no status", "edited", 1),
        ("no status", "missing", 1),
        ("all of them", "missing, as a record is", 0),  # its name is taken for a ticket's id
        ("pipeline but of one status", "edited", 0),
        ("pipeline but of one status", "missing", 0),
        ("pipeline", "edited", 1),
        ("pipeline", "without paths", 0),  # closed tickets are shown by their last change alone
        ("pipeline", "few without paths", 1),
        ("pipeline", "all", 0),  # a busy shop: the page of the newest changes is of today
        ("all of them", "deleted", 0),
        ("all of them", "whole", 0),  # the oldest has no status, so it is neither new nor not new
    ],
)
def test_tickets_that_no_half_shows_are_read_otherwise_or_said_to_be_missing(
    stranger, ways, changed, code
):
    today = datetime.now(UTC).date().isoformat() if changed == "all" else "2026-03-04"
    tickets = [ticket(n, LABELS[n % 3]) for n in range(60)]
    tickets += [ticket(n, "Done", today) for n in range(60, 120)]
    tickets[0]["status"] = None if changed == "whole" else tickets[0]["status"]
    if changed == "few without paths":
        tickets = [
            row for n, row in enumerate(tickets) if n < 8 or row["status"]["label"] != "Done"
        ]
    deleted = [ticket(n, "Done") for n in range(200, 225)]

    def answer(seen: Seen) -> Reply:
        query, path = dict(seen.query), seen.path.removeprefix("/v1/")
        if path == "statuses":
            rows = STATUSES
        elif path == "tickets":
            rows = listed(tickets, query, ways)
        elif path == "tickets/updated" and "missing" not in changed:
            rows = {"edited": tickets[::7], "deleted": [*tickets, *deleted]}.get(changed, tickets)
        else:
            has_paths = listed(tickets, {}, ways) if "without paths" in changed else tickets
            rows = [row for row in has_paths if path == f"tickets/{row['id']}"]
            status = 400 if "record" in changed else 404
            return Reply(body=rows[0]) if rows else Reply(status, {"error": "Not found"})
        return Reply(body=page_of(rows, query))

    stranger.loopback.otherwise = answer
    for number in (120, 121, 122)[: 2 + (changed == "deleted")]:
        report = stranger.sync("statuses", "tickets", full=number == 122)
        # What is deleted is believed at its second sighting, and the first one is told.
        is_first = changed == "deleted" and number == 120
        assert report.exit_code == (code or int(is_first)), report.details
        held = len(stranger.held("tickets"))
        assert code or held == number + is_first * len(deleted)
        is_back = changed == "deleted" and number == 120
        tickets.append(deleted.pop(5) if is_back else ticket(number, "Open", "2026-03-09"))
    if changed == "all":
        tickets.pop(100)
        stranger.complete("tickets")
        assert len(stranger.held("tickets")) == len(tickets)
    # Once for each of the two sightings.
    looked_up = [seen.path for seen in stranger.loopback.seen if "/tickets/t2" in seen.path]
    looked_up = [path for path in looked_up if int(path.rpartition("/t")[2]) >= 200]
    assert looked_up or changed != "deleted"
    assert all(looked_up.count(path) <= 2 for path in looked_up)


NAMED = {
    "label": lambda number: {"status": LABELS[number]},
    "id": lambda number: {"status": number},
    "id in an object": lambda number: {"status": {"id": str(number)}},
    "name": lambda number: {"status": {"id": number + 7, "name": LABELS[number]}},
    "two fields": lambda number: {"statusId": number, "statusLabel": LABELS[number]},
}


@pytest.mark.parametrize("named", NAMED)
def test_a_changed_ticket_is_looked_for_in_the_half_of_its_status_however_that_is_named(
    stranger, named
):
    """Else each night would find it in neither half, and read all tickets again."""
    tickets = [ticket(n, LABELS[n % 3]) for n in range(170)]
    changed: list[dict] = []

    def answer(seen: Seen) -> Reply:
        query, path = dict(seen.query), seen.path.removeprefix("/v1/")
        if path == "statuses":
            return Reply(body=STATUSES)
        rows = changed if path == "tickets/updated" else listed(tickets, query, "all of them")
        if path not in ("tickets", "tickets/updated"):
            rows = [row for row in tickets if path == f"tickets/{row['id']}"]
        shown = [
            {**row, "status": None, **NAMED[named](LABELS.index(row["status"]["label"]))}
            for row in page_of(rows, query)
        ]
        if path in ("tickets", "tickets/updated"):
            return Reply(body=shown)
        return Reply(body=shown[0]) if shown else NOT_FOUND

    stranger.loopback.otherwise = answer
    stranger.complete("statuses", "tickets")
    for number in (170, 171, 172):
        tickets.append(ticket(number, LABELS[number % 3], "2026-03-09"))
        changed.append(tickets[-1])
        tickets[number - 170]["status"] = {"label": LABELS[number % 2]}
        changed.append(tickets[number - 170])
        assert stranger.complete("statuses", "tickets").requests < 12
        assert len(stranger.held("tickets")) == len(tickets)


def test_tickets_without_a_list_of_changes_are_read_again_after_a_night_of_odd_answers(stranger):
    """Both halves showed the same tickets, and no path answered: so a list that the service never
    had was asked for what they hide, for good."""
    tickets, is_odd = [ticket(n, LABELS[n % 3]) for n in range(49)], True

    def answer(seen: Seen) -> Reply:
        path = seen.path.removeprefix("/v1/")
        if path == "tickets" and dict(seen.query).get("page", "1") == "1":
            ways = "no status" if is_odd else "all of them"
            return Reply(body=listed(tickets, dict(seen.query), ways))
        if path in ("statuses", "tickets"):
            return Reply(body=STATUSES if path == "statuses" else [])
        return Reply(404 if path == "tickets/updated" or not is_odd else 503, {"error": "None"})

    stranger.loopback.otherwise = answer
    assert stranger.sync("statuses", "tickets").exit_code != 0
    is_odd = False
    stranger.complete("statuses", "tickets")
    assert len(stranger.held("tickets")) == 49


def test_tickets_that_halves_hide_are_found_by_a_shop_that_began_without_any(stranger):
    """Nothing told on the first night what this service hides."""
    tickets, fresh = list[dict](), list[dict]()

    def answer(seen: Seen) -> Reply:
        query, path = dict(seen.query), seen.path.removeprefix("/v1/")
        rows = STATUSES if path == "statuses" else tickets
        if path == "tickets":
            rows = listed(tickets, query, "pipeline but of one status")
        elif path == "tickets/updated":
            rows = tickets if query.get("updatedDateFrom", "").endswith("-2000") else fresh
        elif path != "statuses":
            found = [row for row in tickets if path == f"tickets/{row['id']}"]
            return Reply(body=found[0]) if found else NOT_FOUND
        return Reply(body=[] if query.get("page", "1") != "1" else rows[::-1])

    stranger.loopback.otherwise = answer
    for night in range(4):
        stranger.complete("statuses", "tickets")
        assert len(stranger.held("tickets")) == len(tickets), night
        # Of a past day, as its last change is; on the second day one is closed now, too.
        tickets.append(ticket(2 * night, "Done"))
        fresh[:] = [ticket(1, "Done", "2026-03-09")] if night == 0 else []
        tickets += fresh


@pytest.mark.parametrize(("rows", "changed"), [(50, 0), (100, 0), (50, 50), (150, 50), (150, 100)])
def test_tickets_that_fill_pages_are_proven_where_the_last_page_comes_again(
    stranger, rows, changed
):
    """All of them, and those that changed since the day before."""
    tickets = [ticket(n, LABELS[n % 3]) for n in range(rows)]
    stranger.lists["/statuses"], stranger.repeats = STATUSES, True

    def answer(seen: Seen) -> Reply:
        query = dict(seen.query)
        is_ever = query.get("updatedDateFrom", "").endswith("-2000")
        stranger.lists["/tickets/updated"] = tickets if is_ever else tickets[:changed]
        stranger.lists["/tickets"] = listed(tickets, query, "all of them")
        return stranger.answer(seen)

    stranger.loopback.otherwise = answer
    for _night in range(2):
        stranger.complete("statuses", "tickets")
    assert len(stranger.held("tickets")) == rows


@pytest.mark.parametrize("size", [50, 20])
def test_tickets_that_leave_the_pipeline_are_seen_though_updated_shows_it_alone(stranger, size):
    """They stayed open, and /tickets/updated was believed."""
    stranger.size = size
    tickets = [ticket(n, "Done" if n % 4 else "Open") for n in range(240)]
    stranger.lists["/statuses"] = STATUSES

    def answer(seen: Seen) -> Reply:
        query = dict(seen.query)
        changed = sorted(tickets, key=lambda row: row.get("last_updated", ""), reverse=True)
        is_sorted = query.get("sort") == "recently_updated"
        found = listed(changed if is_sorted else tickets, query, "all of them")
        stranger.lists["/tickets"] = found[::-1] if is_sorted else found
        stranger.lists["/tickets/updated"] = listed(changed, {}, "")
        return stranger.answer(seen)

    stranger.loopback.otherwise = answer
    for night in range(3):
        report = stranger.complete("statuses", "tickets")
        assert night == 0 or report.requests < 20
        held = stranger.recorder.live("tickets", "main").values()
        assert {row["id"]: row["status__label"] for row in held} == {
            row["id"]: row["status"]["label"] for row in tickets
        }
        day = f"2026-03-{10 + night}"
        tickets[20 * night].update(status={"label": "Done"}, last_updated=day)


@pytest.mark.parametrize("a_day", [12, 300])
def test_hidden_tickets_on_shorter_pages_are_not_read_whole_each_night(stranger, a_day):
    """Where so many have a last change was looked for on pages of fifty."""
    tickets = [ticket(n, LABELS[n % 3], f"2026-01-{1 + n // a_day:02d}") for n in range(300)]
    stranger.lists |= {"/statuses": STATUSES, "/tickets/updated": tickets}
    stranger.size = 20

    def answer(seen: Seen) -> Reply:
        stranger.lists["/tickets"] = listed(tickets, dict(seen.query), "pipeline")
        return stranger.answer(seen)

    stranger.loopback.otherwise = answer
    asked = [stranger.complete("statuses", "tickets").requests for _ in range(2)]
    assert asked[1] < asked[0] / 3


@pytest.mark.parametrize("size", [50, 20])
@pytest.mark.parametrize("order", ["kept", "newest", "oldest", "by id"])
def test_a_page_out_of_order_is_no_end_of_the_list_and_hides_no_ticket(stranger, order, size):
    """A status of which the list seemed to leave tickets out would be over."""
    tickets = rows_of(140, a_day=1, status={"label": "New"})
    mixed = [tickets[37 * n % 140] for n in range(140)]
    stranger.lists["/tickets"] = {"oldest": tickets[::-1], "by id": mixed}.get(order, tickets)
    stranger.size, stranger.ignores = size, () if order == "kept" else ("sort",)
    with stranger.session() as session:
        session.ledger.set_list("main", "tickets", page_rows=size % 50 or None)
        probe_pipeline(session.client(stranger.shop), session.ledger)
        probe = read_probe(session.ledger, "main")
    days = {row["id"]: row["created_date"] for row in tickets}
    hidden = [
        one for one, day in days.items()
        if one not in probe.ids and (day > probe.after or day < probe.before)
    ]  # fmt: skip
    assert hidden == []
    assert len(probe.ids) == (2 * size if order == "kept" else size)
