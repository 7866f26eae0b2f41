/** What somebody has entered and not saved, kept in this tab until it is saved or dropped. */

const PREFIX = "rowgate.draft:";

export interface Draft {
  at: string;
  values: Record<string, unknown>;
}

export function readDraft(key: string): Draft | undefined {
  try {
    const kept = sessionStorage.getItem(PREFIX + key);
    return kept === null ? undefined : (JSON.parse(kept) as Draft);
  } catch {
    return undefined;
  }
}

export function keepDraft(key: string, values: Record<string, unknown>): void {
  try {
    sessionStorage.setItem(PREFIX + key, JSON.stringify({ at: new Date().toISOString(), values } satisfies Draft));
  } catch {
    // A full storage keeps no draft, and the form goes on.
  }
}

export function dropDraft(key: string): void {
  sessionStorage.removeItem(PREFIX + key);
}

export function dropDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}
