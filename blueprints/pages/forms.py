"""The base of the forms of account pages: their token, their language, and fields that many share."""

from __future__ import annotations

from typing import Any

from flask_wtf import FlaskForm
from wtforms import BooleanField, EmailField, PasswordField, StringField, ValidationError
from wtforms.meta import DefaultMeta
from wtforms.validators import DataRequired, InputRequired, Length

from app.auth.sign_in.two_factor.codes import MAX_CODE_LENGTH
from app.foundation import languages
from app.foundation.languages import lazy as _
from app.foundation.settings import settings

CSRF_FIELD = "csrf"
MAX_ADDRESS_LENGTH = 254
MAX_NAME_LENGTH = 120
MAX_PASSWORD_LENGTH = 128


def stripped(text: str | None) -> str | None:
    """``text`` without the blanks around it that come with pasting."""
    return text.strip() if text else text


class AccountForm(FlaskForm):
    """A form of an account page. Names of fields are those of the wire, so that what services say about one is shown
    beside it."""

    class Meta(FlaskForm.Meta):
        @property
        def locales(self) -> list[str]:
            return [languages.current()]

        def get_translations(self, form: Any) -> Any:
            # Flask-WTF asks an extension that is not here.
            return DefaultMeta.get_translations(self, form)


class NewPassword:
    """The rules of a new password that a form can check; the service looks for those that are guessed first."""

    field_flags = {"required": True, "maxlength": MAX_PASSWORD_LENGTH}

    def __call__(self, form: Any, field: Any) -> None:
        shortest = settings.password_min_length
        if len(field.data or "") < shortest:
            text = languages.ngettext(
                "Use at least %(number)s character.", "Use at least %(number)s characters.", shortest
            )
            raise ValidationError(text % {"number": shortest})


def address_field(label: Any, autocomplete: str = "email") -> Any:
    """A field for an address; the service knows which are good."""
    rules = [DataRequired(), Length(max=MAX_ADDRESS_LENGTH)]
    plain = {"autocomplete": autocomplete, "autocapitalize": "none", "spellcheck": "false"}
    return EmailField(label, rules, [stripped], render_kw=plain)


def name_field(label: Any, autocomplete: str, max: int = MAX_NAME_LENGTH) -> Any:
    """A field for the name of somebody or something."""
    return StringField(label, [DataRequired(), Length(max=max)], [stripped], render_kw={"autocomplete": autocomplete})


def code_field(label: Any, inputmode: str = "text") -> Any:
    """A field for a code of a second factor; recovery codes have letters, so its keyboard is that of texts."""
    plain = {"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false", "inputmode": inputmode}
    return StringField(label, [DataRequired(), Length(max=MAX_CODE_LENGTH)], [stripped], render_kw=plain)


def password_field(label: Any) -> Any:
    """A field for the password that an account has. Rules of new ones do not count: it may be older than they are."""
    return PasswordField(label, [InputRequired()], render_kw={"autocomplete": "current-password"})


def new_password_field(label: Any) -> Any:
    """A field for a password to choose."""
    return PasswordField(label, [NewPassword()], render_kw={"autocomplete": "new-password"})


class SignInForm(AccountForm):
    email = address_field(_("E-mail"), "username webauthn")
    password = password_field(_("Password"))
    rememberMe = BooleanField(_("Stay signed in on this device"), default=True)  # noqa: N815 - the wire name


class ElsewhereForm(AccountForm):
    login = StringField(
        _("Name"), [InputRequired(), Length(max=254)], render_kw={"autocomplete": "username", "autocapitalize": "none"}
    )
    password = password_field(_("Password"))
    rememberMe = BooleanField(_("Stay signed in on this device"), default=True)  # noqa: N815 - the wire name


class SignUpForm(AccountForm):
    name = name_field(_("Name"), "name")
    email = address_field(_("E-mail"))
    password = new_password_field(_("Password"))
