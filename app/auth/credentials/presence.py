"""Whether work that goes on in somebody's name may go on: a request asks when it begins, work that lasts asks again."""

from __future__ import annotations

from app.auth.credentials.credentials import reload_principal
from app.engine.declare.principal import Principal
from app.foundation.errors import Failure, Unauthenticated

# What is said of work whose person is banned or gone.
ACCOUNT_GONE = "Your account may no longer act"
# And to others who may see the work.
REQUESTER_GONE = "Whoever asked for it is not there any more"
# And of work whose person has lost a right that it began with.
RIGHTS_REDUCED = "You may do less than when you asked for it"
# Seconds between two questions, where the work has no steps of its own.
ASK_EVERY = 2.0


def is_still_authorized(principal: Principal) -> bool:
    """Whether a caller who was admitted would be admitted now, with every right of then. A database that is away for a
    moment ends nothing."""
    try:
        return reload_principal(principal).covers(principal)
    except Unauthenticated:
        return False
    except Failure:
        return True
