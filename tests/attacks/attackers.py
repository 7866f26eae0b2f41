"""The process of an assault: python -m tests.attacks.attackers deep-skip 10 < world

It writes how many answers it had of each status, those of errors with their code.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress

from config import ROOT
from tests.attacks.assaults import ASSAULTS, Assault
from tests.attacks.caller import TIMEOUT, Answer, flood
from tests.attacks.world import World

# Requests a second of all attackers together, which is under DEFAULT_LIMIT: what is shown is no flood.
PACE = 90
# Seconds for the answers to what was asked last, and for the process to come up.
PATIENCE = 120
# Attackers are on machines of their own: what they do themselves is to slow nobody here.
NICENESS = 15


def assail(world: World, assault: Assault, seconds: float) -> Counter[str]:
    """Have a process of its own make an assault for ``seconds``, and count what it was answered."""
    command = [sys.executable, "-m", "tests.attacks.attackers", assault.name, str(seconds)]
    ended = subprocess.run(
        command, cwd=ROOT, input=world.written(), capture_output=True, text=True, timeout=seconds + PATIENCE
    )
    assert not ended.returncode, ended.stderr
    return Counter(json.loads(ended.stdout))


def main() -> None:
    """Make the assault that the arguments name."""
    os.nice(NICENESS)
    world, assault, seconds = World.read(sys.stdin.readline()), ASSAULTS[sys.argv[1]], float(sys.argv[2])
    deadline, each = time.monotonic() + seconds, assault.at_once / PACE

    def ask(number: int) -> Answer:
        due = time.monotonic() + each
        answer = assault.ask(world, number)
        time.sleep(max(0.0, min(due, deadline) - time.monotonic()))
        return answer

    answers = flood(ask, assault.at_once, seconds)
    json.dump(Counter(map(outcome, answers)), sys.stdout)


def outcome(answer: Answer) -> str:
    """The status of an answer, and the code of an error that says one."""
    if not answer.status:
        return "silent" if answer.seconds >= TIMEOUT else "reset"
    with suppress(ValueError, AttributeError):
        if answer.status >= 400 and (code := answer.json.get("code")):
            return f"{answer.status} {code}"
    return str(answer.status)


if __name__ == "__main__":
    main()
