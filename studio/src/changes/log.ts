/** What the log of changes has of records, page by page, and who made the changes. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslate } from "react-admin";

import { pathOf, provider } from "../api/provider";
import { nameOf, shortId } from "../catalogue/catalogue";
import { useCatalogue, usePerson } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import type { Row } from "../records/values";
import { ask } from "../session/transport";

export interface Actor {
  type: "user" | "key" | "job" | "system";
  /** Of those who share an organization with whoever looks. */
  id: string | null;
}

interface Told {
  version: number;
  at: string;
  actor: Actor;
  transaction: string;
}

export interface Version extends Told {
  operation: "create" | "update" | "delete";
  changed: readonly string[];
  before: Partial<Row> | null;
  after: Partial<Row> | null;
}

/** A version of a record of any model. */
export interface RecentVersion extends Version {
  id: string;
  model: string;
  recordId: string;
}

export interface Deletion extends Told {
  recordId: string;
  record: Row;
}

interface LogPage<T> {
  data: readonly T[];
  meta: { next: string | null };
}

function useLog<T>(resource: string, path: string) {
  return useInfiniteQuery({
    queryKey: [resource, "log", path],
    queryFn: ({ signal, pageParam }) => ask<LogPage<T>>("GET", `${path}?take=50${pageParam ? `&cursor=${encodeURIComponent(pageParam)}` : ""}`, undefined, signal),
    initialPageParam: "",
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
  });
}

/** The versions of a record, newest first. */
export const useVersions = (model: Model, id: string) => useLog<Version>(nameOf(model), `${pathOf(nameOf(model))}/${id}/_history`);

/** What was deleted of a model, the latest first. */
export const useDeletions = (model: Model) => useLog<Deletion>(nameOf(model), `${pathOf(nameOf(model))}/_deleted`);

/** Pages that are looked through for one that has something. */
const TRIES = 10;

/** The latest versions of all records, of an organization, a model or by somebody, where these are named. */
export function useRecent({ organization, model, actor }: { organization: string; model: string; actor: string }) {
  const asked = Object.entries({ take: "50", organizationId: organization, models: model, actorId: actor }).filter(([, value]) => value !== "");
  return useInfiniteQuery({
    queryKey: ["changes", ...asked],
    queryFn: async ({ signal, pageParam }) => {
      const search = new URLSearchParams(asked);
      let cursor = pageParam;
      for (let tries = 1; ; tries += 1) {
        if (cursor) search.set("cursor", cursor);
        const page = await ask<LogPage<RecentVersion>>("GET", `/api/v1/_history?${search}`, undefined, signal);
        if (page.data.length > 0 || page.meta.next === null || tries === TRIES) return page;
        cursor = page.meta.next;
      }
    },
    initialPageParam: "",
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
  });
}

/** The versions of each request together, in their order. */
export function grouped(versions: readonly RecentVersion[]): readonly (readonly RecentVersion[])[] {
  const groups = new Map<string, RecentVersion[]>();
  for (const version of versions) groups.set(version.transaction, [...(groups.get(version.transaction) ?? []), version]);
  return [...groups.values()];
}

/** The people of the organizations of whoever looks, by name. */
export function useColleagues(): readonly { id: string; name: string }[] {
  const catalogue = useCatalogue();
  const { data } = useQuery({
    queryKey: ["auth/member", "names"],
    queryFn: ({ signal }) => provider.getList("auth/member", { pagination: { page: 1, perPage: 1000 }, meta: { count: "none" }, signal }),
    enabled: Boolean(catalogue.get("auth/member")?.operations.list),
  });
  const names = new Map(data?.data.map(({ userId, user }) => [String(userId), String((user as Row | null)?.name ?? "")]));
  return [...names].filter(([, name]) => name).map(([id, name]) => ({ id, name })).sort((one, other) => one.name.localeCompare(other.name));
}

/** Names of those who made changes, by the colleagues that whoever looks knows. */
export function useActorNames(): (actor: Actor) => string {
  const translate = useTranslate();
  const person = usePerson();
  const names = new Map(useColleagues().map(({ id, name }) => [id, name]));
  return ({ type, id }) => {
    if (type === "user" && id === person.id) return translate("studio.changes.you");
    return (id && names.get(id)) || translate(`studio.changes.by_${type}`, { id: id ? shortId(id) : "" });
  };
}
