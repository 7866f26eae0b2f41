"""What all models share, and who may do what, for those of the rental."""

from rental.models import RentalBooking, RentalInvoice, RentalItem

from rowgate.testing import examples
from rowgate.testing.every_model import *  # noqa: F403
from rowgate.testing.permissions import *  # noqa: F403

MODELS = [RentalItem, RentalBooking, RentalInvoice]
examples(RentalItem, {"opensAt": "08:00:00", "closesAt": "17:30:00", "shortest": "PT1H"})
examples(RentalBooking, {"startsAt": "2027-03-01T09:00:00.000Z", "endsAt": "2027-03-02T09:00:00.000Z"})
