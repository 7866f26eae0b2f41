"""Write the domains of stored addresses as A-labels (RFC 5890), as they are stored from now on.

An address that has its A-label form already beside it stays as it is and is listed: whose it is, people decide.
"""

import logging

import idna
import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

# Each table with addresses, and what makes an address unique in it.
TABLES = (
    ("auth_user", "TRUE"),
    ("auth_invitation", "other.organization_id = row.organization_id AND other.status = 'pending' AND row.status = 'pending'"),
    ("crm_contact", "other.organization_id = row.organization_id"),
    ("auth_api_key", "FALSE"),
)
log = logging.getLogger("alembic.runtime.migration")


def upgrade():
    connection = op.get_bind()
    for table, clash in TABLES:
        # Not ASCII: the length in bytes is another than the one in characters.
        stored = sa.text(
            f"SELECT id, email FROM {table} WHERE octet_length(split_part(email, '@', 2)) <> "
            f"char_length(split_part(email, '@', 2)) ORDER BY created_at, id"
        )
        rewrite = sa.text(
            f"UPDATE {table} AS row SET email = :email WHERE id = :id "
            f"AND NOT EXISTS (SELECT FROM {table} AS other WHERE other.email = :email AND {clash})"
        )
        for identifier, email in connection.execute(stored).all():
            written = _in_ascii(email)
            if not written or not connection.execute(rewrite, {"id": identifier, "email": written}).rowcount:
                log.warning("%s %s keeps the domain of its address: it clashes or is no domain", table, identifier)


def _in_ascii(email):
    local, _, domain = email.rpartition("@")
    try:
        written = f"{local}@{idna.encode(domain, uts46=True).decode()}"
    except idna.IDNAError:
        return None
    return written if len(written) <= 254 else None


def downgrade():
    """Nothing to do: earlier releases read A-labels as well."""
