"""The front door: what a plugin is made of. What stands in this package is public, and what does not is not.

Routes are in ``rowgate.http``, what they read and write in ``rowgate.schemas``, commands in ``rowgate.commands``, the
models of the service in ``rowgate.models``, the test kit in ``rowgate.testing``.
"""

from app.engine.changes.returning import on_restore
from app.engine.declare.combinations import AllOf, AnyOf, Everybody, MembersOf, Through, Where
from app.engine.declare.fields import (
    ADMIN_READS,
    ADMIN_WRITES,
    BYTES,
    CALLER_ORGANIZATION,
    CALLER_USER,
    ENCRYPTED,
    FILE,
    FILTERABLE,
    HIDDEN,
    IMMUTABLE,
    MONEY,
    NOW,
    PERCENT,
    READ_ONLY,
    RETURNED_ONCE,
    SCOPE_READS,
    SORTABLE,
    UNLISTED,
    WRITE_ONLY,
    Factory,
    FromNow,
    boolean,
    enum,
    integer,
    json,
    long_text,
    number,
    reference,
    string,
    strings,
    timestamp,
    vector,
    virtual,
)
from app.engine.declare.indexes import index, sorted_by, unique
from app.engine.declare.policy import Policy, SessionOnly
from app.engine.declare.principal import SYSTEM, Principal, Reader
from app.engine.declare.record import Base, Record
from app.engine.declare.rules import check, excludes
from app.engine.declare.scope import Rule, Scope
from app.engine.declare.scopes import Organization, Owner, Parent, Public
from app.engine.declare.value_fields import (
    color,
    computed,
    count_of,
    country,
    currency,
    day,
    decimal,
    duration,
    encrypted,
    file,
    image,
    ip_address,
    ip_network,
    language,
    money,
    point,
    position,
    sequence,
    slug,
    time_of_day,
)
from app.engine.read.database import after_unit, reading
from app.engine.read.encoding import Representation
from app.engine.read.pages import list_page
from app.engine.read.query import PLAIN
from app.engine.read.records import on_read
from app.engine.read.statements import driver_connection
from app.engine.write.changes import record_changed
from app.engine.write.hooks import (
    Write,
    failing_at,
    on_create,
    on_create_many,
    on_delete,
    on_delete_many,
    on_update,
    on_update_many,
    prepare,
    require,
)
from app.engine.write.preconditions import UNCONDITIONAL, Precondition
from app.engine.write.unit_of_work import Unit, run_unit
from app.extension_points import Channel, ProvenIdentity, SignIn, Tool
from app.foundation.clock import now, wire
from app.foundation.errors import (
    Failure,
    Forbidden,
    ForeignKeyViolation,
    Invalid,
    NotFound,
    Overlap,
    RateLimited,
    Unauthenticated,
    Unavailable,
    UniqueViolation,
)
from app.foundation.events import Event
from app.foundation.outbound import Outbound
from app.foundation.slugs import slug_of
from app.jobs.queue import defer
from app.jobs.registry import Continuous, Job, Periodic, as_unit, mark_failed
from app.jobs.running import JobCancelled, report_progress, step, unit_step
from app.notification.routing import notification_routed, notify, notify_all
from app.plugins import Plugin
from config import Setting
from schemas.query.finding import aggregate, count, find, find_each, get, visible

# By noun, in the order of the reference.
__all__ = [  # noqa: RUF022
    # A plugin
    "Plugin", "Setting", "SignIn", "ProvenIdentity", "Tool",
    # Models: their fields, their keys, who may do what with their rows
    "Record", "Base",
    "string", "long_text", "integer", "number", "boolean", "timestamp", "json", "strings", "vector", "enum",
    "day", "time_of_day", "duration", "decimal", "money", "country", "language", "currency", "color", "ip_address",
    "ip_network", "point", "file", "image", "encrypted", "sequence", "slug", "count_of", "position", "reference",
    "virtual", "computed", "FromNow", "Factory", "CALLER_USER", "CALLER_ORGANIZATION", "NOW",
    "READ_ONLY", "WRITE_ONLY", "IMMUTABLE", "HIDDEN", "FILTERABLE", "SORTABLE", "UNLISTED", "ENCRYPTED",
    "RETURNED_ONCE", "ADMIN_READS", "ADMIN_WRITES", "SCOPE_READS", "MONEY", "PERCENT", "BYTES", "FILE",
    "unique", "index", "sorted_by", "excludes", "check",
    "Policy", "Rule", "Owner", "Organization", "Parent", "Public", "SessionOnly",
    "AnyOf", "AllOf", "Where", "Everybody", "Through", "MembersOf", "Scope", "Reader",
    # Hooks
    "Write", "on_create", "on_update", "on_delete", "on_restore", "on_read", "prepare", "failing_at", "require",
    "record_changed", "on_create_many", "on_update_many", "on_delete_many",
    # Reading and writing
    "Unit", "run_unit", "Principal", "SYSTEM", "Precondition", "UNCONDITIONAL", "Representation",
    "find", "find_each", "get", "count", "aggregate", "visible",
    "reading", "after_unit", "driver_connection", "PLAIN", "list_page", "Event",
    # Jobs and notifications
    "Continuous", "Job", "Periodic", "as_unit", "mark_failed", "defer", "step", "unit_step",
    "report_progress", "JobCancelled", "notify", "notify_all", "notification_routed", "Channel",
    # Failures, the clock, names for addresses, other services
    "Failure", "Invalid", "NotFound", "Unauthenticated", "Forbidden", "Unavailable", "RateLimited", "UniqueViolation",
    "Overlap", "ForeignKeyViolation", "now", "wire", "slug_of", "Outbound",
]  # fmt: skip
