"""The settings of identity, credentials and organizations."""

from config import Setting

# A limit as Flask-Limiter reads it.
LIMIT = r"[1-9][0-9]* (per|/) ?([1-9][0-9]* )?(second|minute|hour|day)s?"

SETTINGS = (
    Setting("password_min_length", 8, "fewest characters of a new password", low=8, high=128),
    Setting(
        "common_passwords",
        "",
        "file of passwords that nobody may choose, one a line in UTF-8; empty takes the 30,000 most common ones",
    ),
    Setting(
        "password_ranges_url",
        "",
        "service of breached passwords, such as https://api.pwnedpasswords.com/range, that gets the first five "
        "characters of a SHA-1 digest; empty asks nobody",
        pattern=r"https?://[!-~]+",
    ),
    Setting(
        "passkey_origins",
        "",
        "further origins whose pages may use the passkeys of BASE_URL's host, comma-separated",
        pattern=r"[^\s,/]+(//[^\s,/]+)?(, *[^\s,/]+(//[^\s,/]+)?)*",
    ),
    Setting(
        "mail_limit",
        "30 per hour",
        "requests for mail from one network",
        pattern=LIMIT,
    ),
    Setting("invitation_limit", "200 per hour", "invitations that one user sends", pattern=LIMIT),
    Setting(
        "new_account_invitation_limit",
        "20 per day",
        "invitations of an account younger than a day or not verified",
        pattern=LIMIT,
    ),
    Setting(
        "anonymous_models",
        "",
        "models whose public rows anybody reads without a credential, such as crm/company, comma-separated",
    ),
    Setting("anonymous_limit", "60 per minute", "requests without a credential from one network", pattern=LIMIT),
    Setting("anonymous_max_age", 60, "seconds that caches keep answers without a credential", low=0, high=86400),
    Setting("anonymous_create_limit", "30 per hour", "forms sent without a credential from one network", pattern=LIMIT),
    Setting("anonymous_form_limit", "300 per hour", "forms sent without a credential through one form", pattern=LIMIT),
    Setting("captcha_secret", "", "secret of the captcha that forms without a credential need; empty asks for none"),
    Setting(
        "captcha_verify_url",
        "https://challenges.cloudflare.com/turnstile/v0/siteverify",
        "the verifier that is asked, of Turnstile, hCaptcha (https://api.hcaptcha.com/siteverify) or another",
        pattern=r"https?://[!-~]+",
    ),
    Setting("client_registration", False, "let MCP clients without a metadata document register themselves (RFC 7591)"),
    Setting("require_email_verification", False, "refuse sign-in and new keys without a verified address"),
    Setting(
        "key_max_days",
        3650,
        "longest life of a signed-in user's key, in days; 365 is advised in production",
        low=1,
        high=36500,
    ),
    Setting("github_client_id", "", "OAuth app at GitHub; empty switches sign-in with GitHub off"),
    Setting("github_client_secret", "", "secret of that app"),
    Setting("github_url", "https://github.com", "GitHub, or a GitHub Enterprise Server"),
    Setting("github_api_url", "https://api.github.com", "its API"),
    Setting("google_client_id", "", "OAuth client at Google; empty switches sign-in with Google off"),
    Setting("google_client_secret", "", "secret of that client"),
    Setting("google_issuer", "https://accounts.google.com", "issuer of Google's tokens, with discovery below it"),
    Setting("microsoft_client_id", "", "app registration at Microsoft; empty switches sign-in with Microsoft off"),
    Setting("microsoft_client_secret", "", "secret of that registration"),
    Setting("microsoft_tenant", "common", "tenant id, or common, organizations or consumers for several tenants"),
    Setting(
        "microsoft_authority", "https://login.microsoftonline.com", "Microsoft's sign-in, or that of a national cloud"
    ),
    Setting("oauth_timeout", 10.0, "seconds to wait for a sign-in provider", low=0.1, high=60.0),
    Setting("sign_in_failures", 5, "failed sign-ins of an account before delays", low=1, high=1000),
    Setting(
        "sign_in_failures_per_network",
        5,
        "failed sign-ins of a network before delays; raise it where many share one",
        low=1,
        high=100_000,
    ),
)
