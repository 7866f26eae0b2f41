/** The comments on a record, page by page, and how they are written. */
import { useQueryClient } from "@tanstack/react-query";

import { usePages } from "../api/pages";
import { nameOf } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import { ask } from "../session/transport";

export interface Comment {
  id: string;
  text: string;
  own: boolean;
  removable: boolean;
  author: { id: string; name: string } | null;
  createdAt: string;
  editedAt: string | null;
}

/** Whether anything stands beside the records of a model. */
export const hasActivity = (model: Model, changesDays: number) => Boolean(model.comments) || (Boolean(model.history) && changesDays > 0);

const pathOf = (model: Model, id: string) => `/api/v1/${nameOf(model)}/${id}/_comments`;

export const useComments = (model: Model, id: string) => usePages<Comment>([nameOf(model), "comments", id], pathOf(model, id));

/** Writes of comments, after which they are read again. */
export function useCommenting(model: Model, id: string) {
  const queries = useQueryClient();
  const path = pathOf(model, id);
  const renewed = async (done: Promise<unknown>) => {
    await done;
    await queries.invalidateQueries({ queryKey: [nameOf(model), "comments", id] });
  };
  return {
    write: (text: string, mentions: readonly string[]) => renewed(ask("POST", path, { text, mentions })),
    change: (comment: string, text: string) => renewed(ask("PUT", `${path}/${comment}`, { text })),
    remove: (comment: string) => renewed(ask("DELETE", `${path}/${comment}`)),
  };
}

/** People that one comment may name. */
const MOST_NAMED = 20;

/** The people who are named with an @ in a text: those that were `chosen` before others of the same name, and of two whose names begin alike, the longer one. */
export function mentionedIn(text: string, people: readonly { id: string; name: string }[], chosen: readonly string[] = []): readonly string[] {
  const found = new Set<string>();
  const ranked = [...people].sort((one, other) => other.name.length - one.name.length || Number(chosen.includes(other.id)) - Number(chosen.includes(one.id)));
  for (const { index, 1: before } of text.matchAll(/(^|[^\p{L}\p{N}._-])@/gu)) {
    const start = index + before!.length + 1;
    const named = ranked.find(({ name }) => text.startsWith(name, start) && !/^[\p{L}\p{N}]/u.test(text.slice(start + name.length)));
    if (named) found.add(named.id);
  }
  return [...found].slice(0, MOST_NAMED);
}

/** What of a text stands behind the last @ before the cursor, while somebody writes a name there. */
export function namedAt(text: string, cursor: number): { start: number; words: string } | undefined {
  const start = text.lastIndexOf("@", cursor - 1);
  const words = text.slice(start + 1, cursor);
  const isBegun = start >= 0 && (start === 0 || /\s/.test(text[start - 1]!));
  return isBegun && words.length <= 40 && !words.includes("\n") ? { start, words } : undefined;
}
