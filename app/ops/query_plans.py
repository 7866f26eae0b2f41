"""What a query costs: its statement, the plan that PostgreSQL makes of it, and the index that it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from werkzeug.datastructures import MultiDict

from app.engine.declare.catalogue import find_model
from app.engine.declare.principal import Principal
from app.engine.declare.record import Record
from app.engine.read import pages
from app.engine.read.query import Query
from app.engine.read.statements import autocommit_connection
from app.foundation.errors import Invalid, NotFound, require_found
from app.foundation.settings import settings
from schemas.query.queries import list_query


@dataclass(frozen=True)
class Explanation:
    """A statement, its plan as lines, what that costs as PostgreSQL counts, the indexes that it uses and those that it
    lacks, in words."""

    statement: str
    plan: list[str]
    cost: float
    used: list[str]
    lacking: list[str]


def explain(asked: str, principal: Principal) -> Explanation:
    """Explain ``crm/deal?sort=-amount`` as ``principal`` asks it; raises NotFound for a model that there is not, and
    what the query itself raises. The query is planned and not run."""
    name, _, parameters = asked.partition("?")
    named = find_model(name)
    model = require_found(named, NotFound(f"There is no model {name}: see flask resources"))
    query = list_query(model, principal, MultiDict(parse_qsl(parameters, keep_blank_values=True)), settings)
    if query.cursor:
        raise Invalid("A cursor belongs to who walks: leave it empty")
    if query.rank_by is not None:
        raise Invalid("A list that a search ranks has no plan to explain: leave searchMode out")
    statement = pages.compiled(model, principal.reader, query, None)
    binds = {**statement.fixed, **pages.binds(query, principal)}
    with autocommit_connection() as connection:
        lines = [row[0] for row in connection.execute(f"EXPLAIN {statement.sql}", binds)]
        tree = connection.execute(f"EXPLAIN (FORMAT JSON) {statement.sql}", binds).fetchone()[0][0]["Plan"]  # type: ignore[index]
    nodes = list(_nodes(tree))
    used = sorted({node["Index Name"] for node in nodes if "Index Name" in node})
    return Explanation(statement.sql, lines, tree["Total Cost"], used, list(_lacking(model, query, nodes)))


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for inner in node.get("Plans", ()):
        yield from _nodes(inner)


def _sorts_rows(node: dict[str, Any]) -> bool:
    """Whether the node sorts what a scan gives it; rows without a value come by their id, which costs little."""
    if node["Node Type"] != "Sort" or not node["Plans"][0]["Node Type"].endswith("Scan"):
        return False
    return any(not key.split()[0].endswith(".id") for key in node["Sort Key"])


def _lacking(model: type[Record], query: Query, nodes: list[dict[str, Any]]) -> Iterator[str]:
    """What the rows of the model are read without."""
    table = model.__tablename__
    scope = model.policy.scope.column
    if any(node["Node Type"] == "Seq Scan" and node.get("Relation Name") == table for node in nodes):
        yield f"{table} is read whole: no index fits, or it is small enough to need none"
    if query.sort and any(map(_sorts_rows, nodes)):
        key = query.sort[0]
        if key.path:
            yield f"sort={key.path[0].name}.{key.field.name} goes along a relation, which no index has the order of"
        else:
            columns = ", ".join(f'"{each}"' for each in (scope, key.field.attribute) if each)
            yield f"no index has the order of {key.field.name}: sorted_by({columns}) in the keys of {model.__name__}"
