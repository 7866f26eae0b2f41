/** Lists of the service beside those of records, read page by page. */
import { useInfiniteQuery } from "@tanstack/react-query";

import { ask } from "../session/transport";

interface PageOf<T> {
  data: readonly T[];
  meta: { count: number };
}

/** Entries that come at once. */
const PAGE = 20;

/** The entries at `path`, the first of them at once; they are read again every so many milliseconds while `again` says so of what was read. */
export function usePages<T>(queryKey: readonly unknown[], path: string, again?: (entries: readonly T[]) => number | false) {
  const { data, ...query } = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) => ask<PageOf<T>>("GET", `${path}?take=${PAGE}&skip=${pageParam}`, undefined, signal),
    initialPageParam: 0,
    getNextPageParam: ({ meta }, _, skip) => (skip + PAGE < meta.count ? skip + PAGE : undefined),
    refetchInterval: ({ state }) => again?.(state.data?.pages.flatMap((page) => page.data) ?? []) ?? false,
  });
  return { ...query, entries: data?.pages.flatMap((page) => page.data) };
}
