"""The report job: figures over a period, computed by one statement and stored as JSON or CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Date, Integer, RowMapping, String, and_, cast, func, select
from uuid_utils.compat import uuid7

from app.analytics.hooks import COMPUTE_REPORT, after
from app.analytics.models import AnalyticsActivity, AnalyticsEvent, AnalyticsReport
from app.auth.accounts.users import member_principal
from app.auth.credentials.presence import REQUESTER_GONE, RIGHTS_REDUCED
from app.auth.keys.key_usage.models import AuthApiKeyUsage
from app.auth.models.keys import AuthApiKey
from app.auth.organizations.organizations import personal_organization_of
from app.crm.models import CrmDeal
from app.engine.declare.principal import SYSTEM, Principal
from app.engine.read.database import OutcomeUnknown, reading
from app.engine.transfer import spreadsheets
from app.engine.write.unit_of_work import Unit, run_unit
from app.extension_points import REPORTS
from app.foundation.clock import now, wire
from app.foundation.errors import Invalid, PayloadTooLarge
from app.jobs import queue
from app.runtime.connections import allow_time
from app.storage.hooks import place, take_out
from app.storage.models import StorageUpload
from app.storage.object_store import object_store, put

NO_SOURCE = "The plugin that brought this kind of report is not loaded"
UNFINISHED = ("queued", "running")
MAX_ROWS = 5000
Row = dict[str, Any]
Sums = Any  # a statement, whose type would be that of its many columns


class Asked(NamedTuple):
    """What a report is asked for; figures fit as long as it is the same."""

    kind: str
    format: str
    period_start: datetime
    period_end: datetime

    @classmethod
    def of(cls, report: AnalyticsReport) -> Asked:
        return cls(report.kind, report.format, report.period_start, report.period_end)


@dataclass(frozen=True)
class Figures:
    """What a report comes to, and for whom."""

    principal: Principal
    asked: Asked
    rows: list[Row]


def compute(report_id: UUID) -> None:
    """Compute a report that is queued; one that is gone or done is left alone. Nothing is locked while that lasts."""
    figures = run_unit(SYSTEM, _figures, report_id)
    if figures is None:
        return
    content = _as_csv(figures.rows) if figures.asked.format == "csv" else None
    # Stored before it is counted; a store that is away has the job done again.
    key = put(content) if content is not None else ""
    try:
        kept = run_unit(SYSTEM, _keep, report_id, figures, content, key)
    except OutcomeUnknown:
        raise
    except BaseException:
        _forget_file(key)
        raise
    if not kept:
        _forget_file(key)


def _forget_file(key: str) -> None:
    if key:
        object_store().remove(key)


def _figures(unit: Unit, report_id: UUID) -> Figures | None:
    allow_time(unit.session)
    report = unit.session.get(AnalyticsReport, report_id)
    if report is None or report.status not in UNFINISHED:
        return None
    principal = member_principal(unit.session, report.created_by_id, report.organization_id)
    if principal is None or principal.narrowing is not None:
        report.status, report.error_message = "failed", REQUESTER_GONE if principal is None else RIGHTS_REDUCED
        return None
    if report.kind not in REPORTS:
        report.status, report.error_message, report.next_run_at = "failed", NO_SOURCE, None
        return None
    found = unit.session.execute(REPORTS[report.kind](report).limit(MAX_ROWS)).mappings()
    return Figures(principal, Asked.of(report), [_on_the_wire(row) for row in found])


def _keep(unit: Unit, report_id: UUID, figures: Figures, content: bytes | None, key: str) -> bool:
    """Store the figures; whether the file at ``key`` has a row now. A report that was changed meanwhile has another
    job."""
    report = unit.session.get(AnalyticsReport, report_id, with_for_update=True)
    if report is None or report.status not in UNFINISHED or Asked.of(report) != figures.asked:
        return False
    if member_principal(unit.session, report.created_by_id, report.organization_id) is None:
        report.status, report.error_message = "failed", REQUESTER_GONE
        return False
    _drop_file(unit, report)
    report.status, report.row_count, report.generated_at = "ready", len(figures.rows), now()
    report.error_message, report.data = None, figures.rows
    if content is not None:
        _store_file(unit, figures.principal, report, content, key)
    if report.status == "ready":
        unit.session.add(_activity(report))
    return report.upload_id is not None


def queue_due() -> None:
    """Queue reports again whose time has come."""
    due = (AnalyticsReport.next_run_at <= now(), AnalyticsReport.status.in_(("ready", "failed")))
    with reading() as session:
        waiting = session.scalars(select(AnalyticsReport.id).where(*due)).all()
    for report_id in waiting:
        run_unit(SYSTEM, _queue_again, report_id)


def _queue_again(unit: Unit, report_id: UUID) -> None:
    """Queue a report for the period after its last one; periods that were missed are left out."""
    report = unit.session.get(AnalyticsReport, report_id, with_for_update=True)
    if report is None or report.next_run_at is None or report.status in UNFINISHED:
        return
    while report.next_run_at <= now():
        report.period_start = after(report.period_start, report.schedule)
        report.period_end = after(report.period_end, report.schedule)
        report.next_run_at = after(report.next_run_at, report.schedule)
    report.status = "queued"
    queue.defer(unit, COMPUTE_REPORT, report.id, user_id=report.created_by_id)


def within(report: AnalyticsReport, moment: Any) -> Any:
    """Whether a moment lies in the period of a report, as a condition."""
    return and_(moment >= report.period_start, moment < report.period_end)


def day(moment: Any) -> Any:
    """The day of a moment, in UTC, as the column ``date``."""
    return cast(moment, Date).label("date")


def usage(report: AnalyticsReport) -> Sums:
    """What happened on each day, by name."""
    event = AnalyticsEvent
    counted = (day(event.occurred_at), event.name, func.count().label("events"))
    users = func.count(func.distinct(func.coalesce(cast(event.user_id, String), event.anonymous_id))).label("people")
    own = (event.organization_id == report.organization_id, within(report, event.occurred_at))
    return select(*counted, users).where(*own).group_by("date", event.name).order_by("date", event.name)


def crm_pipeline(report: AnalyticsReport) -> Sums:
    """The creator's deals by stage and currency; amounts in cents."""
    deal = CrmDeal
    weighed = func.coalesce(func.sum(deal.amount * deal.probability / 100), 0)
    counted = select(
        deal.stage, deal.currency, func.count().label("deals"),
        func.coalesce(func.sum(deal.amount), 0).label("amount"), weighed.label("weightedAmount"),
    )  # fmt: skip
    own = (deal.organization_id == report.organization_id, deal.created_by_id == report.created_by_id)
    grouping = (deal.stage, deal.currency)
    return counted.where(*own, within(report, deal.created_at)).group_by(*grouping).order_by(*grouping)


def api_key_use(report: AnalyticsReport) -> Sums:
    """The use of the creator's keys on each day, from the hourly sums."""
    usage = AuthApiKeyUsage
    average = func.sum(usage.latency_total_ms) / func.greatest(func.sum(usage.request_count), 1)
    counted = select(
        day(usage.hour), AuthApiKey.id.label("keyId"), AuthApiKey.name.label("name"),
        func.sum(usage.request_count).label("requests"), cast(average, Integer).label("averageLatencyMs"),
        func.max(usage.latency_max_ms).label("slowestMs"),
    ).join(AuthApiKey, AuthApiKey.id == usage.key_id)  # fmt: skip
    own = (AuthApiKey.user_id == report.created_by_id, within(report, usage.hour))
    return counted.where(*own).group_by("date", AuthApiKey.id, AuthApiKey.name).order_by("date", AuthApiKey.id)


def _on_the_wire(row: RowMapping) -> Row:
    return {name: value if isinstance(value, int | str | None) else _plain(value) for name, value in row.items()}


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else str(value) if isinstance(value, UUID) else int(value)


def _as_csv(rows: Sequence[Row]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]) if rows else ["date"])
    writer.writeheader()
    writer.writerows({name: harmless(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def _store_file(unit: Unit, principal: Principal, report: AnalyticsReport, content: bytes, key: str) -> None:
    """Keep the rows as a file of whoever asked for the report, in the bucket at home, where there is room."""
    upload = StorageUpload(
        id=uuid7(), user_id=principal.user_id, filename=f"{report.kind}-{wire(report.period_start)[:10]}.csv",
        content_type="text/csv", size=len(content), sha256=sha256(content).hexdigest(), status="stored",
        storage_key=key,
    )  # fmt: skip
    home = personal_organization_of(unit.session, principal.user_id) if principal.user_id else None
    try:
        with unit.session.begin_nested():
            place(unit, upload, home)
    except (Invalid, PayloadTooLarge) as refusal:
        report.status, report.data, report.error_message = "failed", None, refusal.text
        return
    unit.store(upload)
    report.upload_id, report.data = upload.id, None


def _drop_file(unit: Unit, report: AnalyticsReport) -> None:
    """Remove the file of the run before."""
    upload = unit.session.get(StorageUpload, report.upload_id) if report.upload_id else None
    report.upload_id = None
    if upload is not None:
        unit.session.flush()
        take_out(unit, upload)
        unit.session.delete(upload)


def harmless(value: Any) -> Any:
    """Return a value as spreadsheets may have it, which take a text that begins like a formula for one."""
    return spreadsheets.guard(value) if isinstance(value, str) else value


def _activity(report: AnalyticsReport) -> AnalyticsActivity:
    return AnalyticsActivity(
        user_id=report.created_by_id, organization_id=report.organization_id, activity_type="REPORT_GENERATED",
        metadata_={"reportId": str(report.id), "kind": report.kind, "source": "server"},
    )  # fmt: skip
