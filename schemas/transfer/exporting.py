"""What is asked of an export, read strictly from query parameters."""

from __future__ import annotations

from werkzeug.datastructures import MultiDict

from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read.condition_parser import NOT_BOOLEAN, ConditionParser
from app.engine.read.query import ALL_FIELDS, Junction, Query
from app.engine.read.query_context import QueryContext, allowed, invalid
from app.engine.transfer.exporting import ExportFormat, ExportQuery
from app.foundation.errors import Failure, InvalidExpand, InvalidPagination
from config import Settings
from schemas.query import queries
from schemas.query.conditions import BOOLEANS, FilterParameterParser
from schemas.query.selections import SelectionParser, sort_keys

FORMATS = {each.value: each for each in ExportFormat}
PARAMETERS = ("where", "search", "sort", "fields", "as", "csvSafe", queries.TIME_ZONE)
# What belongs to the pages of a list.
REFUSED: dict[str, type[Failure]] = {
    "expand": InvalidExpand, **dict.fromkeys(("cursor", "count", "take", "skip"), InvalidPagination),
}  # fmt: skip


def export_query(
    model: type[Record], principal: Principal, args: MultiDict[str, str], settings: Settings
) -> ExportQuery:
    """Read the query parameters of an export; raises InvalidFilter, InvalidSort, InvalidFields, InvalidSearch,
    InvalidExpand and InvalidPagination."""
    zone = queries.time_zone(args.get(queries.TIME_ZONE))
    conditions = ConditionParser(QueryContext(principal, settings, queries.MAX_VALUES_IN_URL), zone)
    short = FilterParameterParser(model, conditions)
    asked: dict[str, str] = {}
    for name, values in args.lists():
        if name in REFUSED:
            raise invalid(name, "An export is all of the list, without relations.", REFUSED[name])
        if name in PARAMETERS:
            asked[name] = queries.once(name, values)
        elif name != queries.CREDENTIAL:
            short.add(name, values)
    where = short.root.tree()
    if "where" in asked:
        where = Junction((*where.parts, *conditions.where(model, queries.json_of(asked["where"]), "where").parts))
    form = _form(asked)
    return ExportQuery(_query(model, conditions, where, asked), form, _is_safe(asked, form))


def _query(model: type[Record], conditions: ConditionParser, where: Junction, asked: dict[str, str]) -> Query:
    named = {
        name: queries.names(name, asked[name], queries.FAILURES[name]) for name in ("sort", "fields") if name in asked
    }
    selection = ALL_FIELDS
    if "fields" in named:
        # Those that only single records have are exported, too, so that nothing is lost on the way back.
        chosen = SelectionParser(conditions.context, model, conditions, listed=False)
        chosen.choose(named["fields"], "fields")
        selection = chosen.root.selection()
    return Query(
        where=where,
        search=queries.searched(conditions.context, model, asked["search"]) if "search" in asked else "",
        sort=sort_keys(conditions, model, named["sort"], "sort") if "sort" in named else (),
        selection=selection,
        is_plain=False,
    )


def _form(asked: dict[str, str]) -> ExportFormat:
    given = asked.get("as", ExportFormat.CSV)
    if given not in FORMATS:
        raise invalid("as", allowed(FORMATS))
    return FORMATS[given]


def _is_safe(asked: dict[str, str], form: ExportFormat) -> bool:
    given = asked.get("csvSafe", "true")
    if given not in BOOLEANS:
        raise invalid("csvSafe", NOT_BOOLEAN)
    if "csvSafe" in asked and form is not ExportFormat.CSV:
        raise invalid("csvSafe", "Is for CSV alone.")
    return BOOLEANS[given]
