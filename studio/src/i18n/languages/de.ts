/** German. */
import { access } from "./de/access";
import { assistants } from "./de/assistants";
import { changes } from "./de/changes";
import { knowledge } from "./de/knowledge";
import { sharing } from "./de/sharing";
import { webhooks } from "./de/webhooks";
import { ra } from "./de/admin";
import { lists } from "./de/lists";
import { names } from "./de/names";
import { places } from "./de/places";
import { records } from "./de/records";
import type { Language } from "./en";

const messages = { ra, studio: { ...places, ...lists, ...records, ...access, ...sharing, ...changes, ...webhooks, ...knowledge, ...assistants } };

export const german: Language = { messages, names };
