"""Kinds of codes that a standard lists: countries, languages, currencies; and colors."""

from __future__ import annotations

import re
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy import types
from sqlalchemy.types import TypeEngine

from app.engine.declare import locales
from app.engine.declare.kind import EQUALITY, Kind, Operator

RGB = re.compile(r"#[0-9a-fA-F]{6}", re.ASCII)


@dataclass(frozen=True)
class Code(Kind):
    """One of the codes of a standard."""

    operators: ClassVar[tuple[Operator, ...]] = EQUALITY
    is_text: ClassVar[bool] = True
    longest: ClassVar[int]
    shown: ClassVar[str]

    def column_type(self) -> TypeEngine[Any]:
        return types.String(self.longest)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": self.name}

    @abstractmethod
    def is_known(self, text: str) -> bool:
        """Whether the standard lists the code."""

    def parse(self, text: str) -> str | None:
        return text if self.is_known(text) else None

    def expected(self) -> str:
        return f"Is not a code of a {self.name}, such as {self.shown}."

    def example(self) -> Any:
        return self.shown


@dataclass(frozen=True)
class Country(Code):
    """A country by its two letters (ISO 3166-1): ``DE``."""

    name: ClassVar[str] = "country"
    longest: ClassVar[int] = 2
    shown: ClassVar[str] = "DE"

    def is_known(self, text: str) -> bool:
        return text in locales.countries()


@dataclass(frozen=True)
class Language(Code):
    """A language by its tag (BCP 47): ``de``, ``pt-BR``."""

    name: ClassVar[str] = "language"
    longest: ClassVar[int] = 35
    shown: ClassVar[str] = "de"

    def is_known(self, text: str) -> bool:
        return locales.is_language(text)


@dataclass(frozen=True)
class Currency(Code):
    """A currency by its three letters (ISO 4217): ``EUR``."""

    name: ClassVar[str] = "currency"
    longest: ClassVar[int] = 3
    shown: ClassVar[str] = "EUR"

    def is_known(self, text: str) -> bool:
        return text in locales.currencies()


@dataclass(frozen=True)
class Color(Kind):
    """A color as ``#rrggbb`` (sRGB), kept in lower case."""

    name: ClassVar[str] = "color"
    operators: ClassVar[tuple[Operator, ...]] = EQUALITY
    is_text: ClassVar[bool] = True

    def column_type(self) -> TypeEngine[Any]:
        return types.String(7)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "color"}

    def parse(self, text: str) -> str | None:
        return text.lower() if RGB.fullmatch(text) else None

    def expected(self) -> str:
        return "Is not a color such as #0a7d5c."

    def example(self) -> Any:
        return "#0a7d5c"
