"""What all models share, and who may do what, for those of the helpdesk."""

from helpdesk.models import HelpdeskComment, HelpdeskTicket

from rowgate.testing.every_model import *  # noqa: F403
from rowgate.testing.permissions import *  # noqa: F403

MODELS = [HelpdeskTicket, HelpdeskComment]
