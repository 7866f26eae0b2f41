"""A tool: what a client is told of it, and how a call of it is checked and carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from app.foundation.errors import Invalid
from schemas.catalogue import CallerProfile

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

Arguments = Mapping[str, Any]
Schema = dict[str, Any]
MAX_MESSAGE_LENGTH = 300
# Items of an argument, and what is told of one call, so that judging it takes nobody's time.
MAX_ITEMS, MAX_PROBLEMS = 500, 10


@dataclass(frozen=True)
class Tool:
    """``parameters`` are the arguments by name, as JSON Schema; ``run`` gets those that came, and returns the result.
    ``models`` names the models that a caller may put into the argument ``model``. A tool that ``writes`` is shown to
    callers who may write."""

    name: str
    title: str
    description: str
    run: Callable[[Arguments], dict[str, Any]]
    parameters: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    output: Schema | None = None
    writes: bool = False
    destroys: bool = False
    repeatable: bool = True
    models: Callable[[CallerProfile], list[str]] | None = None

    def describe(self, profile: CallerProfile) -> dict[str, Any]:
        """What a client is told, with the models that the caller may name."""
        schema = dict(self.schema)
        if self.models is not None:
            model = {**self.parameters["model"], "enum": self.models(profile)}
            schema["properties"] = {**self.parameters, "model": model}
        hints = {
            "title": self.title, "readOnlyHint": not self.writes, "destructiveHint": self.destroys,
            "idempotentHint": self.repeatable, "openWorldHint": False,
        }  # fmt: skip
        told = {"name": self.name, "title": self.title, "description": self.description, "inputSchema": schema}
        return told | ({"outputSchema": self.output} if self.output else {}) | {"annotations": hints}

    @property
    def schema(self) -> Schema:
        """The JSON Schema of its arguments."""
        return {
            "type": "object", "properties": dict(self.parameters), "required": list(self.required),
            "additionalProperties": False,
        }  # fmt: skip

    def call(self, arguments: Any) -> dict[str, Any]:
        """Carry out a call; raises Invalid for arguments that do not fit, and what the operation raises."""
        if isinstance(arguments, dict):
            long = [name for name, value in arguments.items() if isinstance(value, list) and len(value) > MAX_ITEMS]
            if long:
                raise Invalid({name: [f"Has more than {MAX_ITEMS} items."] for name in long[:MAX_PROBLEMS]})
        problems: dict[str, list[str]] = {}
        for error in islice(self._validator.iter_errors(arguments), MAX_PROBLEMS):
            problems.setdefault(_place(error), []).append(_message(error))
        if problems:
            raise Invalid(problems)
        return self.run(arguments)

    @cached_property
    def _validator(self) -> Draft202012Validator:
        from jsonschema import Draft202012Validator  # with the first call, not at every start

        return Draft202012Validator(self.schema)


def _place(error: ValidationError) -> str:
    return ".".join(str(each) for each in error.absolute_path) or "arguments"


def _message(error: ValidationError) -> str:
    text = str(error.message)
    return f"{text[:MAX_MESSAGE_LENGTH]}{'' if text.endswith('.') else '.'}"
