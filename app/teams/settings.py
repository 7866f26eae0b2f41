"""The settings of the Teams integration."""

from config import Setting

SETTINGS = (
    Setting("teams_app_id", "", "app id of the bot and the tab in Microsoft Teams; empty switches Teams off"),
    Setting("teams_app_secret", "", "client secret of the bot, for sending"),
    Setting("teams_tenant_id", "", "tenant of the bot; empty for an old multi-tenant bot"),
    Setting("teams_app_id_uri", "", "application ID URI of the tab, where it is not the usual one"),
    Setting("teams_tenants", "", "tenants that may sign in through the tab, comma-separated; empty for any"),
    Setting("teams_tab_clients", "", "further client ids that may get tab tokens, comma-separated"),
    Setting("teams_connector_hosts", "", "further hosts that the bot may send to, comma-separated"),
    Setting("teams_emulator", False, "accept activities of the Bot Framework Emulator; never in production"),
    Setting("teams_certificates", "", "folder of private keys {id}.pem for Graph notifications with content"),
    Setting(
        "teams_bot_metadata_url",
        "https://login.botframework.com/v1/.well-known/openidconfiguration",
        "where the Bot Framework tells its keys",
    ),
    Setting("teams_bot_issuer", "https://api.botframework.com", "issuer of the Bot Framework's tokens"),
    Setting("teams_graph_url", "https://graph.microsoft.com", "Microsoft Graph, or that of a national cloud"),
    Setting(
        "teams_graph_publisher",
        "0bf30f3b-4a52-48df-9a82-234910c4a086",
        "app id under which Graph publishes notifications",
    ),
)
