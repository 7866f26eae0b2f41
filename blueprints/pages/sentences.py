"""What failed, in sentences for people: services say it in English, which the catalogues know."""

from __future__ import annotations

from app.foundation import languages
from app.foundation.errors import Failure
from app.foundation.languages import gettext
from app.foundation.languages import marked as _

# Sentences of services, as they stand there.
KNOWN = (
    _("Authentication required"),
    _("An account with this email address already exists"),
    _("Invalid email or password"),
    _("Is among the first that are guessed."),
    _("Must be in the future."),
    _("Must be readable text."),
    _("Must not be blank."),
    _("Is already taken."),
    _("Nobody changes their own role."),
    _("Not a valid URL."),
    _("Not a valid email address."),
    _("Not a valid email address"),
    _("Only an owner grants the role admin"),
    _("Only an owner grants the role owner"),
    _("Only an owner takes the role admin from somebody"),
    _("Only an owner takes the role owner from somebody"),
    _("Only the invited person accepts or rejects"),
    _("A personal organization has one owner."),
    _("Sign in again to do this"),
    _("Sign-in is for pages of this service only"),
    _("A session cookie counts for pages of this service only"),
    _("The invitation has expired."),
    _("The last owner of an organization stays."),
    _("The last way to sign in stays"),
    _("The page had been open for too long. Send it once more."),
    _("The role in the organization does not admit this"),
    _("This sign-in provider is not set up here"),
    _("Verify the email address of the account first"),
    _("The client has to ask anew"),
    _("No client has this id."),
    _("Nobody consents in the name of somebody else"),
    _("Check what is marked below."),
    _("The code is not valid"),
    _("The password is not right."),
    _("The invitation is for another address: sign in with that account"),
    _("Is known from breaches of other services."),
    _("Must have 128 characters at most."),
    _("An account has at most 50 passkeys"),
    _("Hand over or delete your organizations first"),
    _("The password was changed meanwhile"),
    _("Set up a second factor or a passkey of your own first"),
    _("The second factor is on already"),
)  # fmt: skip

# By code, where what services say is for programs, or holds values.
BY_CODE = {
    "CONFLICT": _("This cannot be done as things stand."),
    "DATABASE_ERROR": _("Something went wrong on our side."),
    "FORBIDDEN": _("You may not do this."),
    "FOREIGN_KEY_VIOLATION": _("What this refers to is not there any more."),
    "METHOD_NOT_ALLOWED": _("There is no page here."),
    "NOT_FOUND": _("There is no page here."),
    "RATE_LIMITED": _("That was too often. Try again in a while."),
    "REAUTHENTICATION_REQUIRED": _("This needs a recent sign-in: sign in again, then try once more."),
    "UNAVAILABLE": _("The service is away for a moment. Try again soon."),
    "UNIQUE_VIOLATION": _("This is there already."),
    "UNKNOWN_ERROR": _("Something went wrong on our side."),
    "UPSTREAM_ERROR": _("Another service did not answer. Try again soon."),
    "VALIDATION_ERROR": _("Something in what was sent is not right."),
}
# These codes always speak for themselves.
ALWAYS = ("METHOD_NOT_ALLOWED", "NOT_FOUND", "RATE_LIMITED", "REAUTHENTICATION_REQUIRED", "UNIQUE_VIOLATION")

# What a sign-in at a provider ended with, by the code that the browser comes back with.
OF_PROVIDERS = {
    "access_denied": _("You did not agree at the provider, so nothing was done."),
    "account_linked_elsewhere": _("This identity belongs to another account."),
    "account_not_available": _("This account cannot be used."),
    "account_not_linked": _("There is an account with this address: sign in to it, then link the provider."),
    "account_not_verified": _("Confirm the address of your account first."),
    "email_missing": _("The provider did not tell an address."),
    "email_not_verified": _("The provider has not confirmed your address."),
    "provider_unreachable": _("The provider did not answer. Try again soon."),
    "reauthentication_required": BY_CODE["REAUTHENTICATION_REQUIRED"],
    "session_ended": _("Your session has ended. Sign in again."),
    "state_mismatch": _("The sign-in took too long, or began in another browser."),
}
AT_PROVIDER = _("The sign-in at the provider failed.")


def said(failure: Failure) -> str:
    """Why something failed: as the service says it where the language has that, and otherwise by what kind it is."""
    if failure.status >= 500 or failure.code in ALWAYS:
        return gettext(BY_CODE.get(failure.code, BY_CODE["UNKNOWN_ERROR"]))
    if languages.current() == languages.DEFAULT or failure.text in KNOWN:
        return gettext(failure.text)
    return gettext(BY_CODE.get(failure.code, BY_CODE["VALIDATION_ERROR"]))


def told(message: str) -> str:
    """What is wrong with a field; messages that the language lacks stay in English, which says more than a general
    sentence would."""
    return gettext(message)


def of_provider(code: str) -> str:
    """Why a sign-in at a provider came to nothing. The code comes in the query, so nothing of it is shown."""
    return gettext(OF_PROVIDERS.get(code, AT_PROVIDER))
