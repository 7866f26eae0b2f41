"""The texts around the proposal that the sample agent wrote."""

from __future__ import annotations

from typing import Any

DEAL = "Calibration certificates"
TITLE = "Proposal for Tidewater Instruments"

INSTRUCTIONS = (
    "Write a proposal of one to two pages. Read the deal and its company first, then look up in the handbook what the "
    "product can do; promise nothing that is not there. Begin with what the customer wants, in their words. Then say "
    "what we do, in which steps, by when and for how much. Use short sentences and no superlatives."
)
BETTER_INSTRUCTIONS = (
    f"{INSTRUCTIONS} Explain every abbreviation where it first appears. Say in one paragraph what is not included."
)
RATIONALE = (
    "Reviewers met an abbreviation that nobody had explained, and asked twice what the price does not cover. Two more "
    "sentences in the instructions settle both."
)

CRITERIA: tuple[dict[str, Any], ...] = (
    {
        "name": "Fits the brief",
        "description": "Answers what the customer asked for, and nothing else.",
        "weight": 0.6,
        "passScore": 0.7,
    },
    {
        "name": "Plain wording",
        "description": "Short sentences, no jargon, no superlatives.",
        "weight": 0.4,
        "passScore": 0.6,
    },
)

# Score, judge and comment for each criterion.
JUDGEMENTS = (
    (0.85, "human", "Everything that Greta asked for is there. What the price leaves out could be clearer."),
    (0.7, "rule", "Short sentences throughout; one abbreviation is not explained."),
)

BRIEF = (
    "Greta Holm wants her customers to fetch calibration certificates themselves, each with a key of their own. Write "
    "a proposal for 62,000 US dollars in three steps, so that the first customers start before the trade fair. She "
    "asked how keys are handed out and what happens when one is lost."
)

SUMMARY = "The proposal is written: three steps, keys and loss of keys explained, price as in the deal."

CONTENT = f"""# {TITLE}

## What you want

Your customers should fetch the certificates of their instruments themselves, at any hour, without writing to you. Each
customer should see their own certificates and nobody else's.

## What we do

1. **Bring the certificates in.** We load the certificates of the last three years, about 90,000, and connect your
   calibration program, so that new ones follow within minutes.
2. **Hand out keys.** Every customer gets a key that can read and do nothing else. The secret is shown once. You see
   when each key was last used.
3. **Start with ten customers.** We watch the first two weeks together, then open the service to all 400.

## When a key is lost

Delete the key; the next request that presents it is refused. A new one is made in a minute. Keys that are merely old
are rotated, and for up to seven days both secrets work, so that nobody has to hurry.

## Price and time

The three steps cost 62,000 US dollars. The first customers start eight weeks after the order; all of them four weeks
later. Two days of training are included, as is an SLA for the first year.
"""
