/** Records that were opened last, in this browser. */
export interface Seen {
  resource: string;
  id: string;
  label: string;
}

const KEY = "rowgate.recent";
const MOST = 12;

export function recent(): readonly Seen[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "[]") as Seen[];
  } catch {
    return [];
  }
}

export function remember(seen: Seen): void {
  const others = recent().filter(({ id }) => id !== seen.id);
  localStorage.setItem(KEY, JSON.stringify([seen, ...others].slice(0, MOST)));
}

export const forgetAll = () => localStorage.removeItem(KEY);
