"""Conditions as SQL: the tree of a query, compiled for one kind of reader.

Every row that a condition reaches through a relation has to be visible to the caller, and every field that only some
rows show has to be shown on the row at hand. SQL's unknown never shows: a tree of AND and OR is true where its true
parts say so, and whatever is negated is asked whether it is true.
"""

from __future__ import annotations

from app.engine.declare import collation
from app.engine.declare.kind import Operator
from app.engine.declare.principal import Reader
from app.engine.declare.record import Field, Record
from app.engine.declare.relations import Relation
from app.engine.read import fragments
from app.engine.read.encoding import LISTING, Operations, guards
from app.engine.read.fragments import Fragment
from app.engine.read.members import Member
from app.engine.read.query import Comparison, Condition, Junction, Negation, Quantifier, Related

# No character sorts after it.
LAST_CHARACTER = 1114111
COMPARED = {Operator.GT: ">", Operator.GTE: ">=", Operator.LT: "<", Operator.LTE: "<="}


class Source:
    """The rows that a statement reads, called ``alias``, with what it joins to them; gives out the names of parameters
    and aliases."""

    # What the names of parameters and of further aliases begin with.
    parameters, aliases = "v", "r"

    def __init__(self, model: type[Record], reader: Reader, alias: str = "r0") -> None:
        self.model, self.reader, self.alias = model, reader, alias
        self.fixed: dict[str, object] = {}
        self.joins: list[str] = []
        self._joined: dict[tuple[str, ...], str] = {}
        self._aliases = 0
        self._values = 0

    @property
    def table(self) -> str:
        return f"{self.model.__tablename__} AS {self.alias}"

    def put(self, fragment: Fragment, alias: str) -> str:
        """The text of ``fragment`` about the row called ``alias``."""
        self.fixed.update(fragment.fixed)
        return f"({fragment.on(alias)})"

    @property
    def has_shares(self) -> bool:
        """Whether rows may be shared with the caller."""
        return self.model.policy.shares and self.reader.base.has_shares

    def listed(self, operations: Operations = LISTING, *, with_public: bool, with_shared: bool = True) -> str:
        """The rows that the caller's list has."""
        chosen = {"with_public": with_public, "with_shared": with_shared}
        return self.put(fragments.listed(self.model, self.reader, operations, **chosen), self.alias)

    def visible(self, model: type[Record], alias: str, operation: str = "list") -> str:
        """The rows that the caller may read, or with ``list`` reach by conditions."""
        return self.put(fragments.visible(model, self.reader, operation), alias)

    def guard(self, model: type[Record], operations: Operations, index: int, alias: str) -> str:
        """Whether the row shows the fields of a guard."""
        return self.put(fragments.guard(model, self.reader, operations, index), alias)

    def shows(self, model: type[Record], field: Field, alias: str, operations: Operations = LISTING) -> str:
        """Whether the row shows ``field`` to the caller; empty where every row does."""
        if not self.reader.shows(model, field.name, *operations) and field.name != "id":
            return "false"
        for index, guard in enumerate(guards(model, self.reader, operations)):
            if field.name in guard.names:
                return self.guard(model, operations, index, alias)
        return ""

    def column(self, model: type[Record], field: Field, alias: str) -> str:
        """The field of the row, or what it is worked out by."""
        if isinstance(field, Member):
            return field.sql(fragments.column(field, alias))
        if field.virtual is None:
            return fragments.column(field, alias)
        return self.put(fragments.selected(model, field.attribute), alias)

    def value(self, model: type[Record], field: Field, alias: str, operations: Operations = LISTING) -> str:
        """The field as the row shows it: empty where it does not."""
        column = self.column(model, field, alias)
        shown = self.shows(model, field, alias, operations)
        return f"CASE WHEN {shown} THEN {column} END" if shown else column

    def join(self, path: tuple[Relation, ...]) -> tuple[type[Record], str]:
        """Join the rows that a chain of references leads to, where the caller may see them; their model and alias."""
        model, alias = self.model, self.alias
        names: tuple[str, ...] = ()
        for relation in path:
            names = (*names, relation.name)
            if names not in self._joined:
                joined = self._joined[names] = self._new_alias()
                on = [f"{joined}.id = {self.value(model, relation.reference, alias)}"]
                on.append(self.visible(relation.target, joined))
                self.joins.append(f"LEFT JOIN {relation.target.__tablename__} AS {joined} ON {' AND '.join(on)}")
            model, alias = relation.target, self._joined[names]
        return model, alias

    def condition(self, tree: Condition) -> str:
        """The SQL of ``tree`` about the rows; its values are bound in their order as ``v0``, ``v1`` and so on."""
        return self._condition(tree, self.model, self.alias)

    def _condition(self, tree: Condition, model: type[Record], alias: str) -> str:
        match tree:
            case Comparison():
                shown = self.shows(model, tree.field, alias)
                compared = self._comparison(tree, self.column(model, tree.field, alias))
                return f"({shown} AND {compared})" if shown else compared
            case Junction():
                parts = [self._condition(part, model, alias) for part in tree.parts]
                return f"({(' OR ' if tree.any else ' AND ').join(parts)})" if parts else str(not tree.any).lower()
            case Negation():
                return f"({self._condition(tree.part, model, alias)} IS NOT TRUE)"
            case Related():
                return self._related(tree, model, alias)

    def _related(self, tree: Related, model: type[Record], alias: str) -> str:
        relation, target = tree.relation, self._new_alias()
        reference = relation.reference
        if relation.many:
            parts = [f"{fragments.column(reference, target)} = {alias}.id"]
            guard = self.shows(relation.target, reference, target)
        else:
            parts = [f"{target}.id = {fragments.column(reference, alias)}"]
            guard = self.shows(model, reference, alias)
        parts += [guard] if guard else []
        parts.append(self.visible(relation.target, target))
        inner = self._condition(tree.part, relation.target, target)
        parts.append(f"({inner} IS NOT TRUE)" if tree.quantifier is Quantifier.EVERY else inner)
        rows = f"EXISTS (SELECT 1 FROM {relation.target.__tablename__} AS {target} WHERE {' AND '.join(parts)})"
        return f"(NOT {rows})" if tree.quantifier in (Quantifier.NONE, Quantifier.EVERY) else rows

    def _comparison(self, tree: Comparison, column: str) -> str:
        if tree.operator is Operator.IS_NULL:
            return f"({column} IS {'' if tree.value else 'NOT '}NULL)"
        if tree.operator is Operator.IS:
            return f"({column} = %(caller_user)s::uuid)"
        kind = tree.field.spec.kind
        name = f"%({self.parameters}{self._values})s"
        self._values += 1
        value, values = f"{name}::{kind.sql_type}", f"{name}::{kind.sql_type}[]"
        is_array = Operator.HAS in kind.operators
        match tree.operator:
            case Operator.EQ | Operator.HAS:
                return f"({column} @> {values})" if is_array else f"({column} = {value})"
            case Operator.HAS_ALL:
                return f"({column} @> {values})"
            case Operator.HAS_ANY:
                return f"({column} && {values})"
            case Operator.NE:
                return f"({column} IS DISTINCT FROM {value})"
            case Operator.IN:
                found = f"({column} = ANY ({values}))"
                return f"({found} OR {column} IS NULL)" if tree.with_null else found
            case Operator.NIN:
                missing = f"(({column} = ANY ({values})) IS NOT TRUE)"
                return f"({missing} AND {column} IS NOT NULL)" if tree.with_null else missing
            case Operator.CONTAINS | Operator.ENDS_WITH:
                return f"({collation.folded(column)} LIKE lower({value}))"
            case Operator.STARTS_WITH:
                return _starts_with(column, value, tree.field.max_length)
            case Operator.GT | Operator.GTE | Operator.LT | Operator.LTE:
                return (
                    _text_compared(column, COMPARED[tree.operator], value)
                    if kind.is_text
                    else kind.compared(COMPARED[tree.operator], column, value)
                )
            case own:
                return kind.condition(own, column, value)

    def _new_alias(self) -> str:
        self._aliases += 1
        return f"{self.aliases}{self._aliases}"


def _text_compared(column: str, operator: str, value: str) -> str:
    left, right = (collation.sorted_as(each, is_text=True) for each in (column, value))
    return f"(({', '.join(left)}) {operator} ({', '.join(right)}))"


def _starts_with(column: str, value: str, length: int) -> str:
    """A range where the length of the text is known: an index serves it whatever the value, as it would not serve a
    pattern that comes as a parameter."""
    if not length:
        return f"({collation.folded(column)} LIKE lower({value}))"
    last = f"lower({value}) || repeat(chr({LAST_CHARACTER}), {length})"
    return f"({collation.folded(column)} >= lower({value}) AND {collation.folded(column)} <= {last})"
