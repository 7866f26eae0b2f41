"""What all models share, and who may do what, for those of Conduit."""

from conduit.models import ConduitArticle, ConduitComment, ConduitFavorite, ConduitFollow, ConduitProfile

from rowgate.testing.every_model import *  # noqa: F403
from rowgate.testing.permissions import *  # noqa: F403

MODELS = [ConduitProfile, ConduitFollow, ConduitArticle, ConduitFavorite, ConduitComment]
