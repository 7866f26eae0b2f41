"""Who a partner's program is."""

from rest_framework_api_key.permissions import BaseHasAPIKey

from rental.models import PartnerKey


class HasPartnerKey(BaseHasAPIKey):
    """The header is ``Authorization: Api-Key …``."""

    model = PartnerKey

    def has_permission(self, request, view):
        if not super().has_permission(request, view):
            return False
        request.partner = PartnerKey.objects.get_from_key(self.get_key(request))
        return True
