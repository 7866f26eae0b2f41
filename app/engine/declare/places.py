"""Kinds of places: addresses and networks of the internet, and points on the earth."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, ClassVar

import orjson
from sqlalchemy.dialects.postgresql import CIDR, INET, JSONB
from sqlalchemy.types import TypeEngine

from app.engine.declare.kind import EQUALITY, ORDER, Kind, Operator

NUMBER = re.compile(r"-?[0-9]{1,5}([.][0-9]{1,15})?", re.ASCII)
# A centimeter on the ground.
DECIMALS = 7
ROUNDING = 1e-6
# The mean radius, half of the way around, and a degree along a meridian.
EARTH_KM = 6371.0088
FARTHEST_KM = 20_040
KM_PER_DEGREE = EARTH_KM * math.pi / 180
POINT = "point(({0} ->> 'lng')::float8, ({0} ->> 'lat')::float8)"
DEGREES = "({0} ->> '{1}')::float8"


@dataclass(frozen=True)
class IpAddress(Kind):
    """An address of IPv4 or IPv6. ``within`` asks for those of a network: ``10.0.0.0/8``."""

    name: ClassVar[str] = "ip"
    operators: ClassVar[tuple[Operator, ...]] = (*EQUALITY, *ORDER, Operator.WITHIN)
    sql_type: ClassVar[str] = "inet"

    def column_type(self) -> TypeEngine[Any]:
        return INET()

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "ip"}

    def parse(self, text: str) -> IPv4Address | IPv6Address | None:
        try:
            # PostgreSQL keeps no zone of an address.
            return None if "%" in text else ip_address(text)
        except ValueError:
            return None

    def operand(self, operator: Operator, given: Any, *, is_text: bool) -> Any:
        if operator is Operator.WITHIN:
            return _network(given) if isinstance(given, str) else None
        return super().operand(operator, given, is_text=is_text)

    def condition(self, operator: Operator, column: str, value: str) -> str:
        if operator is Operator.WITHIN:
            return f"({column} <<= {value})"
        return super().condition(operator, column, value)

    def bound(self, value: Any) -> Any:
        # The driver takes no list of addresses of both versions.
        return list(map(str, value)) if isinstance(value, list) else str(value)

    def expected(self) -> str:
        return "Is not an IP address, or for within not a network such as 10.0.0.0/8."

    def example(self) -> Any:
        return "192.0.2.1"


@dataclass(frozen=True)
class IpNetwork(IpAddress):
    """A network of IPv4 or IPv6: ``10.0.0.0/8``. ``within`` asks for those that lie in another."""

    name: ClassVar[str] = "network"

    def column_type(self) -> TypeEngine[Any]:
        return CIDR()

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "network"}

    def parse(self, text: str) -> Any:
        return _network(text)

    def expected(self) -> str:
        return "Is not a network such as 10.0.0.0/8."

    def example(self) -> Any:
        return "192.0.2.0/24"


@dataclass(frozen=True)
class Point(Kind):
    """A point on the earth in degrees (WGS 84): ``{"lat": 52.52, "lng": 13.405}``, in query parameters and cells
    ``52.52,13.405``. ``near`` asks for those within so many kilometers: ``52.52,13.405,10``."""

    name: ClassVar[str] = "point"
    operators: ClassVar[tuple[Operator, ...]] = (Operator.EQ, Operator.NE, Operator.IS_NULL, Operator.NEAR)
    sql_type: ClassVar[str] = "jsonb"

    def column_type(self) -> TypeEngine[Any]:
        return JSONB(none_as_null=True)

    def json_schema(self) -> dict[str, Any]:
        return _members("point", {"lat": 90, "lng": 180})

    def operand_schema(self, operator: Operator) -> dict[str, Any]:
        if operator is Operator.NEAR:
            return _members("circle", {"lat": 90, "lng": 180, "km": FARTHEST_KM})
        return self.json_schema()

    def text_schema(self) -> dict[str, Any]:
        return {"type": "string"}

    def parse(self, text: str) -> dict[str, float] | None:
        return self.parse_json(_named(text, "lat", "lng"))

    def parse_json(self, value: Any) -> dict[str, float] | None:
        return _degrees(value) if isinstance(value, dict) and value.keys() == {"lat", "lng"} else None

    def operand(self, operator: Operator, given: Any, *, is_text: bool) -> Any:
        if operator is not Operator.NEAR:
            return super().operand(operator, given, is_text=is_text)
        named = _named(given, "lat", "lng", "km") if is_text else given
        if not isinstance(named, dict) or named.keys() != {"lat", "lng", "km"}:
            return None
        center, km = _degrees(named), named["km"]
        return center | _box(center, km) | {"km": km} if center and _is_within(km, 0, FARTHEST_KM) else None

    def from_cell(self, text: str) -> Any:
        return self.parse(text) or text

    def expected(self) -> str:
        return 'Is not a point such as {"lat": 52.52, "lng": 13.405}; for near, km is a distance.'

    def example(self) -> Any:
        return {"lat": 52.52, "lng": 13.405}

    def bound(self, value: Any) -> Any:
        return [self.bound(each) for each in value] if isinstance(value, list) else orjson.dumps(value).decode()

    def condition(self, operator: Operator, column: str, value: str) -> str:
        """Near is within the circle (by the haversine formula), of those in the box around it, which an index has."""
        if operator is not Operator.NEAR:
            return super().condition(operator, column, value)
        south, north, west, east, km = (
            DEGREES.format(value, name) for name in ("south", "north", "west", "east", "km")
        )
        lat, lng = DEGREES.format(column, "lat"), DEGREES.format(column, "lng")
        center_lat, center_lng = DEGREES.format(value, "lat"), DEGREES.format(value, "lng")
        box = f"{self.indexed(column)} <@ box(point({west}, {south}), point({east}, {north}))"
        squared = (
            f"sind(({lat} - {center_lat}) / 2) ^ 2"
            f" + cosd({lat}) * cosd({center_lat}) * sind(({lng} - {center_lng}) / 2) ^ 2"
        )
        return f"({box} AND 2 * {EARTH_KM} * asin(least(1, sqrt({squared}))) <= {km})"

    def indexed(self, column: str) -> str:
        return POINT.format(column)

    def as_cell(self, column: str) -> str:
        return f"({column} ->> 'lat') || ',' || ({column} ->> 'lng')"

    def as_member(self, column: str) -> str:
        return column


def _members(form: str, bounds: dict[str, float]) -> dict[str, Any]:
    """The schema of an object of numbers, each within its bound on both sides of zero."""
    members = {name: {"type": "number", "minimum": 0 if name == "km" else -bound, "maximum": bound}
               for name, bound in bounds.items()}  # fmt: skip
    return {"type": "object", "format": form, "properties": members, "required": [*members],
            "additionalProperties": False}  # fmt: skip


def _network(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return None if "%" in text else ip_network(text)
    except ValueError:
        return None


def _named(text: str, *names: str) -> dict[str, float] | None:
    """Numbers between commas, by name."""
    parts = text.split(",", len(names))
    if len(parts) != len(names) or not all(NUMBER.fullmatch(part) for part in parts):
        return None
    return {name: float(part) for name, part in zip(names, parts, strict=True)}


def _degrees(value: dict[str, Any]) -> dict[str, float] | None:
    lat, lng = value["lat"], value["lng"]
    if not _is_within(lat, -90, 90) or not _is_within(lng, -180, 180):
        return None
    return {"lat": round(float(lat), DECIMALS), "lng": round(float(lng), DECIMALS)}


def _is_within(value: Any, low: float, high: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high


def _box(center: dict[str, float], km: float) -> dict[str, float]:
    """The degrees that a circle lies within; all around where it reaches over a pole or the antimeridian."""
    lat, lng, reach = center["lat"], center["lng"], km / KM_PER_DEGREE
    south, north = max(-90.0, lat - reach), min(90.0, lat + reach)
    west, east = -180.0, 180.0
    if south > -90 and north < 90:
        across = math.degrees(math.asin(min(1.0, math.sin(math.radians(reach)) / math.cos(math.radians(lat)))))
        if lng - across > ROUNDING - 180 and lng + across < 180 - ROUNDING:
            west, east = lng - across, lng + across
    # Rounding leaves nothing out.
    return {
        "south": south - ROUNDING,
        "north": north + ROUNDING,
        "west": west - ROUNDING,
        "east": east + ROUNDING,
    }
