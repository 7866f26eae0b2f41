/** The rows of a list: page by page, or one after the other by cursor; how many there are comes after them. */
import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Filter, Row } from "@rowgate/client/react-admin";
import { useMemo, useState } from "react";

import { provider } from "../api/provider";
import { fieldOf, nameOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Catalogue } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import { MOST_PAGES, isReadOnReturn } from "../live/freshness";
import { useHeard } from "../live/heard";
import { useScope } from "../organizations/scope";
import { whereOf } from "./conditions";
import type { ListState } from "./state";

/** Rows that come at once while somebody scrolls, and those that a ranked list has at most. */
const CHUNK = 100;
const MOST_RANKED = 200;

/** The records of a list that belong to one other record. */
export interface Of {
  field: string;
  id: string;
}

export interface Rows {
  rows: readonly Row[];
  total: number | undefined;
  error: unknown;
  isPending: boolean;
  isFetching: boolean;
  hasMore: boolean;
  /** Whether something has changed that a list does not show: one that is long is not read again by itself. */
  isBehind: boolean;
  /** What ranks the rows, if anything does. */
  rankedBy: "meaning" | "words" | undefined;
  more: () => void;
  again: () => void;
  /** Read it from its beginning. */
  restart: () => void;
}

export type Asked = Pick<ListState, "q" | "conditions" | "isEverywhere">;

/** The filter of a list, as the data provider takes it: of another record's, or of the organization that is acted in. */
export function useFilter(model: Model, { q, conditions, isEverywhere }: Asked, of?: Of): Filter {
  const scope = useScope(model, conditions);
  return useMemo(() => {
    const place = of ? belonging(model, of) : isEverywhere ? undefined : scope;
    const asked = [place, whereOf(conditions)].filter((each) => each !== undefined);
    const where = asked.length > 1 ? { and: asked } : asked[0];
    return { ...(where ? { where } : {}), ...(q.trim() ? { q: q.trim() } : {}) };
  }, [model, q, conditions, isEverywhere, of, scope]);
}

/** The condition that a record belongs to another: by its reference, or along the relation where that is no filter. */
export function belonging(model: Model, { field, id }: Of): object {
  const relation = model.relations.find(({ many, reference }) => !many && reference === field);
  return fieldOf(model, field)?.filterable || !relation ? { [field]: id } : { [relation.name]: { id } };
}

/** What is read of each record: what is shown, what names it, and the names of what it refers to. */
export function wanted(catalogue: Catalogue, model: Model, columns: readonly string[]) {
  const fields = new Set(["id", ...(model.label ?? []), ...columns]);
  if (fieldOf(model, "currency")) fields.add("currency");
  const expand: Record<string, { fields: readonly string[] }> = {};
  for (const name of columns) {
    const field = fieldOf(model, name);
    const relation = field && catalogue.relationOf(model, field);
    const target = relation && catalogue.get(relation.model);
    if (relation && target?.operations.read && Object.keys(expand).length < 10) expand[relation.name] = { fields: target.label ?? ["id"] };
  }
  return { fields: [...fields], ...(Object.keys(expand).length > 0 ? { expand } : {}) };
}

export function useRows(model: Model, state: ListState, of?: Of): Rows {
  const catalogue = useCatalogue();
  const resource = nameOf(model);
  const queries = useQueryClient();
  const filter = useFilter(model, state, of);
  const meta = useMemo(() => ({ ...wanted(catalogue, model, state.columns), sort: state.sort }), [catalogue, model, state.columns, state.sort]);
  const isRanked = state.byMeaning && filter.q !== undefined;
  const isPaged = !isRanked && state.mode === "pages";
  const { page, perPage } = state;
  const ranked = useQuery({
    queryKey: [resource, "getList", { filter, meta, by: "meaning" }],
    queryFn: ({ signal }) => provider.getList(resource, { pagination: { page: 1, perPage: MOST_RANKED }, filter, meta: { fields: meta.fields, ...(meta.expand ? { expand: meta.expand } : {}), searchMode: "hybrid" }, signal }),
    enabled: isRanked, placeholderData: keepPreviousData, refetchOnWindowFocus: isReadOnReturn,
  });

  const paged = useQuery({
    queryKey: [resource, "getList", { pagination: { page, perPage }, filter, meta }],
    queryFn: ({ signal }) => provider.getList(resource, { pagination: { page, perPage }, filter, meta: { ...meta, count: "none" }, signal }),
    enabled: isPaged, placeholderData: keepPreviousData, refetchOnWindowFocus: isReadOnReturn,
  });
  const walk = [resource, "getInfiniteList", { pagination: { page: 1, perPage: CHUNK }, filter, meta }];
  const scrolled = useInfiniteQuery({
    queryKey: walk,
    queryFn: ({ pageParam, signal }) => provider.getList(resource, { pagination: { page: 1, perPage: CHUNK }, filter, meta: { ...meta, cursor: pageParam }, signal }),
    initialPageParam: "", getNextPageParam: ({ meta: { next } }) => next ?? undefined, enabled: !isPaged && !isRanked, placeholderData: keepPreviousData,
    refetchOnWindowFocus: isReadOnReturn,
  });
  const counted = useQuery({
    queryKey: [resource, "count", { filter }],
    queryFn: ({ signal }) => provider.getList(resource, { pagination: { page: 1, perPage: 1 }, filter, meta: { fields: ["id"], count: "exact" }, signal }),
    enabled: !isRanked, placeholderData: keepPreviousData,
  });
  // What was at its beginning when something changed: read again, it is another one.
  const [behind, setBehind] = useState<unknown>();
  const [beginning] = scrolled.data?.pages ?? [];
  const isLong = !isPaged && !isRanked && (scrolled.data?.pages.length ?? 0) > MOST_PAGES;
  useHeard(resource, () => isLong && setBehind(beginning));
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = scrolled;
  const shown = isRanked ? ranked : isPaged ? paged : scrolled;
  const single = isRanked ? ranked.data : paged.data;
  const rows = useMemo(
    () => (isRanked || isPaged ? (single?.data ?? []) : (scrolled.data?.pages.flatMap(({ data }) => data) ?? [])),
    [isRanked, isPaged, single, scrolled.data],
  );
  return {
    rows, total: isRanked ? rows.length : counted.data?.total, error: shown.error, isPending: shown.isPending, isFetching: shown.isFetching,
    hasMore: !isRanked && !isPaged && hasNextPage, rankedBy: isRanked ? (ranked.data?.meta.degraded ? "words" : "meaning") : undefined,
    more: () => void (hasNextPage && !isFetchingNextPage && fetchNextPage()), again: () => void shown.refetch(),
    isBehind: isLong && behind === beginning, restart: () => (setBehind(undefined), void queries.resetQueries({ queryKey: walk, exact: true })),
  };
}
