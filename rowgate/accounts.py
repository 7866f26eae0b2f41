"""Accounts, their passwords and their sessions, and what happens to them.

``sign_up`` and ``sign_in_with_password`` are for routes, as they count tries by the network of the request.
"""

from app.auth.accounts.events import account_deleted, address_changed, signed_in, signed_out, signed_up
from app.auth.accounts.managing import (
    acting_as,
    anonymous,
    new_password_hash,
    principal_of,
    set_password,
    sign_in,
)  # fmt: skip
from app.auth.accounts.recovery import change as change_password
from app.auth.accounts.users import make_account
from app.auth.accounts.verification import change_address
from app.auth.credentials.reauthentication import check_password
from app.auth.credentials.sessions import SignedIn, sign_out
from app.auth.sign_in.sign_in import sign_up
from app.auth.sign_in.sign_in import with_password as sign_in_with_password
from app.auth.sign_in.two_factor.challenges import Challenged

__all__ = [  # noqa: RUF022
    "make_account", "new_password_hash", "sign_up", "sign_in_with_password", "sign_in", "SignedIn", "Challenged",
    "sign_out", "check_password", "change_password", "set_password", "change_address",
    "principal_of", "acting_as", "anonymous",
    "signed_up", "signed_in", "signed_out", "address_changed", "account_deleted",
]  # fmt: skip
