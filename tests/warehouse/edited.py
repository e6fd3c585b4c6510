"""A project as an analyst edits it, with what dbt alone can do: a unique key, a pivot over what is
there, a literal date, hooks and a seed."""

from datetime import date
from pathlib import Path

import pytest

from pipelines.transform import dbt
from pipelines.transform.models import copy_project

NEEDS_DBT = pytest.mark.skipif(
    not dbt.is_there(), reason="dbt is not installed: pip install 'shopmirror[dbt]'"
)
"""Marks the tests that have dbt itself build, test or document a project."""

VISITS = """
{{ config(materialized='incremental', unique_key='id',
    post_hook="insert into marts.told select 'hook'") }}
select id, amount_total as amount, cast('2024-01-01 00:00:00' as timestamp) as cut_off
from {{ ref('stg_ticket_invoices') }}
"""
PIVOT = """
{%- set question = 'select distinct status from ' ~ ref('stg_ticket_invoices') ~ ' order by 1' %}
{%- set statuses = run_query(question).columns[0].values() if execute else [] %}
select shop_id
{%- for status in statuses %},
    sum(case when status = '{{ status }}' then 1 else 0 end) as {{ status | lower }}
{%- endfor %}
from {{ ref('stg_ticket_invoices') }}
group by 1
"""
PROJECT_MORE = """
seed-paths: [seeds]
on-run-start:
  - create schema if not exists marts
  - create table if not exists marts.told (what varchar)
"""
ASKED = "select id, amount, cast(cut_off as date) from marts.visits order by 1"
CUT_OFF = date(2024, 1, 1)


def write(folder: Path) -> Path:
    """Copy the project and edit it."""
    copy_project(folder)
    edit(folder)
    return folder


def edit(folder: Path) -> None:
    """Edit a project that was written by ``models --to``."""
    (folder / "models" / "marts" / "visits.sql").write_text(VISITS)
    (folder / "models" / "marts" / "by_status.sql").write_text(PIVOT)
    (folder / "seeds").mkdir()
    (folder / "seeds" / "regions.csv").write_text("shop_id,region\nmain,North\n")
    with (folder / "dbt_project.yml").open("a") as project:
        project.write(PROJECT_MORE)


def leave_out(project: Path, *, keep: str) -> None:
    """Take the models that were shipped out of an edited project, but for one, and their tests."""
    mine = {"visits.sql", "by_status.sql", keep, "_raw.yml", "_ops.yml"}
    gone = [path for path in (project / "models").rglob("*.*") if path.name not in mine]
    for path in [*gone, *(project / "tests").glob("*.sql")]:
        path.unlink()
