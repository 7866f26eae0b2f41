/** What a palette of commands offers first: by how well it answers the words, and by what somebody uses. */

export const KINDS = ["record", "list", "action", "setting", "search"] as const;
type Kind = (typeof KINDS)[number];

export interface Command {
  label: string;
  kind: Kind;
  /** Where it leads; without one, to the searches. */
  path?: string;
  /** What kind of record it is. */
  of?: string;
  /** Whether somebody has pinned or lately opened it. */
  isUsed?: boolean;
}

/** Commands of a kind that are offered at once. */
const MOST: Record<Kind, number> = { record: 8, list: 8, action: 5, setting: 8, search: 200 };

const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** How well a text answers words, the less the better; nothing where one of them is not in it. */
export function scoreOf(text: string, words: string): number | undefined {
  const [within, given] = [plain(text), plain(words).split(/\s+/).filter(Boolean)];
  const parts = within.split(/[^\p{L}\p{N}]+/u);
  let score = within === given.join(" ") ? 0 : within.startsWith(given.join(" ")) ? 1 : 2;
  for (const word of given) {
    if (!within.includes(word)) return undefined;
    if (!parts.some((part) => part.startsWith(word))) score += 2;
  }
  return score;
}

/** Those that answer the words, kind by kind: the kind with the best answer first, what is used before what is not. */
export function ranked(commands: readonly Command[], words: string): Command[] {
  const scored = commands.flatMap((command) => {
    const score = command.kind === "search" || words.trim() === "" ? 2 : scoreOf(command.label, words);
    return score === undefined ? [] : [{ command, score: score + (command.isUsed ? 0 : 1) }];
  });
  const kinds = KINDS.map((kind) => scored.filter(({ command }) => command.kind === kind).sort((one, other) => one.score - other.score).slice(0, MOST[kind]));
  const best = (kind: (typeof kinds)[number]) => (kind[0]?.command.kind === "search" ? Infinity : (kind[0]?.score ?? Infinity));
  return kinds.filter((kind) => kind.length > 0).sort((one, other) => (best(one) === best(other) ? 0 : best(one) - best(other))).flatMap((kind) => kind.map(({ command }) => command));
}
