/** English. Another language is a file like this one, and a line in `provider.ts`. */
import englishMessages from "ra-language-english";

import { access } from "./en/access";
import { assistants } from "./en/assistants";
import { changes } from "./en/changes";
import { knowledge } from "./en/knowledge";
import { sharing } from "./en/sharing";
import { webhooks } from "./en/webhooks";
import { lists } from "./en/lists";
import { places } from "./en/places";
import { records } from "./en/records";

/** Words for names of the service; what is left out is made of the name. */
export interface Names {
  domains: Record<string, string>;
  /** One and many. */
  models: Record<string, readonly [string, string]>;
  fields: Record<string, string>;
  /** Values of enumerations, or of one field's: `stage.won`. */
  values: Record<string, string>;
  /** Headings of parts of a record's page, which models have in English. */
  sections: Record<string, string>;
  /** What the service says of fields, which it says in English. */
  notes: Record<string, string>;
  /** What the service says against what was entered or asked, in English; `{}` is what it fills in. */
  refusals: Record<string, string>;
}

const messages = { ...englishMessages, studio: { ...places, ...lists, ...records, ...access, ...sharing, ...changes, ...webhooks, ...knowledge, ...assistants } };

export interface Language {
  messages: { studio: Shape<typeof messages.studio> };
  names: Names;
}

/** The same keys with texts of another language: a language that misses one does not compile. */
export type Shape<T> = { [K in keyof T]: T[K] extends string ? string : Shape<T[K]> };

export const english: Language & { messages: typeof messages } = {
  messages,
  names: {
    notes: {},
    sections: {},
    // Those that name fields as programs do.
    refusals: {
      "Must be at most half of chunkSize.": "Must be at most half of the chunk size.",
      "Must be after periodStart.": "Must be after the beginning of the period.",
      "Must be at most 366 days after periodStart.": "Must be at most 366 days after the beginning of the period.",
    },
    domains: {
      ai: "AI", "ai-agent": "Agents", "ai-rag": "Knowledge", "ai-research": "Research", crm: "CRM", auth: "Access",
      platform: "Platform",
    },
    models: {
      "ai-agent/config": ["Agent", "Agents"], "ai-agent/message": ["Agent message", "Agent messages"],
      "ai-rag/index": ["Knowledge base", "Knowledge bases"], "ai-rag/metadata": ["Metadata entry", "Metadata entries"],
      "ai-rag/query": ["Search", "Searches"], "ai-rag/result": ["Search result", "Search results"],
      "auth/api-key-analytics": ["Key use", "Key uses"], "auth/two-factor": ["Second factor", "Second factors"],
      "analytics/activity": ["Activity", "Activities"], "auth/session": ["Session", "Sessions"],
    },
    fields: {
      id: "ID", sha256: "SHA-256", createdAt: "Created", updatedAt: "Updated", createdById: "Created by",
      isActive: "Active", contentBase64: "File", url: "Address", url_: "Address", email: "E-mail", ipAllowList: "Allowed addresses",
      topK: "Results wanted", quotaBytes: "Quota", usedBytes: "Used",
    },
    values: {
      "stage.won": "Won", openai_compatible: "OpenAI-compatible", azure_openai: "Azure OpenAI", openai: "OpenAI", l2: "L2",
      hnsw: "HNSW", ivfflat: "IVFFlat", csv: "CSV", json: "JSON", llm_judge: "Model", llm_rewrite: "Rewritten by a model",
      teams_sso: "Teams", oauth: "Provider", github: "GitHub",
    },
  },
};
