/** The colour that an organization has chosen, known from the last visit until it is read. */
import { useSyncExternalStore } from "react";

const KEY = "rowgate.accent";
const FORM = /^#[0-9a-f]{6}$/i;
const heard = new Set<() => void>();

/** The accent that the metadata of an organization names; none where that is no colour. */
export function accentOf(metadata: unknown): string | undefined {
  const { accent } = (metadata ?? {}) as { accent?: unknown };
  return typeof accent === "string" && FORM.test(accent) ? accent.toLowerCase() : undefined;
}

const kept = () => accentOf({ accent: localStorage.getItem(KEY) });

export function keepAccent(accent: string | undefined): void {
  if (accent === kept()) return;
  if (accent) localStorage.setItem(KEY, accent);
  else localStorage.removeItem(KEY);
  for (const tell of heard) tell();
}

const subscribe = (tell: () => void) => (heard.add(tell), () => void heard.delete(tell));

export const useAccent = () => useSyncExternalStore(subscribe, kept);
