/** The models that a person has pinned, and those whose lists were opened last, in this browser. */
import { useSyncExternalStore } from "react";

const PINS = "rowgate.pins";
const VISITS = "rowgate.visits";
/** Lists that count as recent. */
const MOST = 4;
const heard = new Set<() => void>();
const subscribe = (tell: () => void) => (heard.add(tell), () => void heard.delete(tell));

function namesIn(text: string | null): readonly string[] {
  try {
    const names: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

function write(key: string, names: readonly string[]): void {
  localStorage.setItem(key, JSON.stringify(names));
  for (const tell of heard) tell();
}

function useKept(key: string): readonly string[] {
  return namesIn(useSyncExternalStore(subscribe, () => localStorage.getItem(key)));
}

const pinsOf = (person: string) => `${PINS}:${person}`;

export const usePins = (person: string) => useKept(pinsOf(person));
export const useVisits = () => useKept(VISITS);

export function togglePin(person: string, name: string): void {
  const pins = namesIn(localStorage.getItem(pinsOf(person)));
  write(pinsOf(person), pins.includes(name) ? pins.filter((each) => each !== name) : [...pins, name]);
}

/** Note that the list of a model was opened. */
export function visit(name: string): void {
  const visits = namesIn(localStorage.getItem(VISITS));
  if (visits[0] !== name) write(VISITS, [name, ...visits.filter((each) => each !== name)].slice(0, MOST));
}

export const forgetVisits = () => write(VISITS, []);
