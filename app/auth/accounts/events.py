"""What happens to accounts, for those who follow it: in the same transaction."""

from app.auth.models.identity import AuthSession, AuthUser
from app.auth.organizations.organizations import user_provisioned
from app.engine.write.unit_of_work import Unit
from app.foundation.events import Event

# An account was made, by its person, an admin, an invitation or code.
signed_up = user_provisioned
# A session was opened, whichever way; or its person has ended it.
signed_in: Event[[Unit, AuthUser, AuthSession]] = Event()
signed_out: Event[[Unit, AuthSession]] = Event()
# With the address before.
address_changed: Event[[Unit, AuthUser, str]] = Event()
# Before the row goes.
account_deleted: Event[[Unit, AuthUser]] = Event()
