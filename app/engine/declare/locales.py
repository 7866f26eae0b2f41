"""Codes of currencies, countries and languages, as the Unicode Common Locale Data Repository lists them."""

from __future__ import annotations

from functools import cache

from babel import Locale
from babel.numbers import get_currency_precision

# Regions of two letters that are no countries of ISO 3166: groups of countries, parts of one, and those for tests.
NO_COUNTRIES = frozenset({"AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"})


# Where the repository has the digits of cash, and ISO 4217 more.
ISO_DIGITS = {
    "AFN": 2, "ALL": 2, "IQD": 3, "IRR": 2, "KPW": 2, "LAK": 2, "LBP": 2, "MGA": 2, "MMK": 2, "MRO": 2, "RSD": 2,
    "SLL": 2, "SOS": 2, "STD": 2, "SYP": 2, "TMM": 2, "YER": 2, "ZMK": 2,
}  # fmt: skip


@cache
def currencies() -> frozenset[str]:
    """The codes of ISO 4217, those of currencies of the past as well."""
    return frozenset(Locale("en").currencies)


@cache
def decimal_places(currency: str) -> int:
    """How many digits a currency has behind the point."""
    return ISO_DIGITS.get(currency) or get_currency_precision(currency)


@cache
def countries() -> frozenset[str]:
    """The codes of ISO 3166-1 in two letters, and ``XK`` for Kosovo, which has none there."""
    known = map(str, Locale("en").territories)
    return frozenset(each for each in known if len(each) == 2 and each.isalpha()) - NO_COUNTRIES


@cache
def languages() -> frozenset[str]:
    """The codes of languages, without scripts and regions."""
    return frozenset(str(each) for each in Locale("en").languages if "_" not in str(each))


@cache
def scripts() -> frozenset[str]:
    return frozenset(map(str, Locale("en").scripts))


@cache
def regions() -> frozenset[str]:
    """The countries, and parts of the earth by their numbers."""
    return frozenset(str(each) for each in Locale("en").territories)


def is_language(tag: str) -> bool:
    """Whether ``tag`` is a language, with a script and a region where it has them (BCP 47): ``zh-Hans-CN``."""
    language, *rest = tag.split("-", 3)
    if rest and rest[0] in scripts():
        rest = rest[1:]
    return language in languages() and (not rest or (len(rest) == 1 and rest[0] in regions()))
