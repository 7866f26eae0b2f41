"""The nine deals of the sample data, over all stages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A deal as it is told here: amounts in US dollars, times in days before today (``closes_in``: after today)."""

    name: str
    contact: str
    stage: str
    amount: int
    made: int
    moved: int
    closes_in: int
    description: str
    priority: str = "medium"
    source: str | None = None
    next_step: str | None = None
    lost_reason: str | None = None


DEALS = (
    Row(
        "Freight quotes over one API", "Ewan Sinclair", "lead", 9_500, made=14, moved=14, closes_in=75,
        priority="low", source="inbound", next_step="Ask how quotes are made today.",
        description="Skerry sends its quotes by e-mail. Customers ask for a way to fetch them.",
    ),
    Row(
        "Recipe library with search", "Amara Nwosu", "lead", 38_000, made=12, moved=12, closes_in=90,
        source="event", next_step="Send the handbook and two examples.",
        description="Quality sheets for 1,200 recipes lie in folders. Wanted: one place with search by word.",
    ),
    Row(
        "Claims intake", "Claire Dubois", "qualified", 145_000, made=31, moved=17, closes_in=60,
        priority="high", source="referral", next_step="Meet the data protection officer.",
        description="Brokers should file claims over an API with a key of their own, and see their own claims only.",
    ),
    Row(
        "Yard parts list", "Fiona MacLeod", "qualified", 27_500, made=20, moved=11, closes_in=45,
        source="outbound", next_step="Get a sample of the parts list.",
        description="Purchasing wants one list of parts and suppliers that other programs can read and change.",
    ),
    Row(
        "Calibration certificates", "Greta Holm", "proposal", 62_000, made=36, moved=6, closes_in=21,
        priority="high", source="inbound", next_step="Approve the proposal and send it.",
        description="Customers of Tidewater fetch the certificates of their instruments themselves, with keys that "
        "Tidewater hands out. About 400 customers and 30,000 certificates a year.",
    ),
    Row(
        "Service notes assistant", "Samuel Ortiz", "proposal", 31_000, made=24, moved=9, closes_in=35,
        source="partner", next_step="Agree on the pilot group.",
        description="A knowledge base of 900 service notes, with chat for the technicians on the road.",
    ),
    Row(
        "Berth bookings, second phase", "Hanna Virtanen", "negotiation", 88_000, made=29, moved=8, closes_in=14,
        priority="high", source="referral", next_step="Answer the questions on rate limits.",
        description="Carriers book berths over the API. Open points: limits for each carrier, and a test system.",
    ),
    Row(
        "Berth bookings, first phase", "Hanna Virtanen", "won", 54_000, made=51, moved=30, closes_in=-30,
        priority="high", source="inbound", next_step="Hand over to support.",
        description="Read access to berths and arrivals for twelve carriers, each with a key of its own.",
    ),
    Row(
        "Delivery notes archive", "Daniel Whitlock", "lost", 19_000, made=45, moved=22, closes_in=-20,
        source="outbound", lost_reason="Went with an archive that their accounting program brings along.",
        description="Storage of scanned delivery notes for ten years, with search.",
    ),
)  # fmt: skip
