"""Codes of currencies, countries and languages, as the Unicode Common Locale Data Repository lists them."""

from __future__ import annotations

from functools import cache

from babel import Locale
from babel.numbers import get_currency_precision

# Regions of two letters that are no countries of ISO 3166: groups of countries, parts of one, and those for tests.
NO_COUNTRIES = frozenset({"AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"})


@cache
def currencies() -> frozenset[str]:
    """The codes of ISO 4217, those of currencies of the past as well."""
    return frozenset(Locale("en").currencies)


@cache
def decimal_places(currency: str) -> int:
    """How many digits a currency has behind the point."""
    return get_currency_precision(currency)


@cache
def countries() -> frozenset[str]:
    """The codes of ISO 3166-1 in two letters."""
    known = map(str, Locale("en").territories)
    return frozenset(each for each in known if len(each) == 2 and each.isalpha()) - NO_COUNTRIES


@cache
def languages() -> frozenset[str]:
    """Tags of languages (BCP 47), such as ``de`` and ``pt-BR``."""
    return frozenset(str(each).replace("_", "-") for each in Locale("en").languages)
