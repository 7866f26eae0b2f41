/** Dashboards that somebody keeps, or that are shared with them. */
import { useQuery, useQueryClient } from "@tanstack/react-query";

import { ask } from "../session/transport";
import type { Panel } from "./panels";

export interface Dashboard {
  id: string;
  name: string;
  shared: boolean;
  own: boolean;
  writable: boolean;
  definition: { panels?: readonly Panel[]; days?: number };
}

export type Given = Partial<Pick<Dashboard, "name" | "shared" | "definition">>;

const PATH = "/api/v1/_dashboards";
const KEY = "dashboards";
/** How many the service answers at most. */
const PAGE = 20;

async function all(signal: AbortSignal): Promise<readonly Dashboard[]> {
  const found: Dashboard[] = [];
  for (;;) {
    const { data } = await ask<{ data: Dashboard[] }>("GET", `${PATH}?take=${PAGE}&skip=${found.length}`, undefined, signal);
    found.push(...data);
    if (data.length < PAGE) return found;
  }
}

export const useDashboards = () => useQuery({ queryKey: [KEY], queryFn: ({ signal }) => all(signal) });

export const useDashboard = (id: string) => useQuery({ queryKey: [KEY, id], queryFn: ({ signal }) => ask<Dashboard>("GET", `${PATH}/${id}`, undefined, signal) });

/** Writes of dashboards, after which what is shown of them is read again. */
export function useKeeping() {
  const queries = useQueryClient();
  const renewed = async <T>(done: Promise<T>): Promise<T> => {
    const answer = await done;
    await queries.invalidateQueries({ queryKey: [KEY] });
    return answer;
  };
  return {
    make: (given: Given) => renewed(ask<Dashboard>("POST", PATH, given)),
    change: (id: string, given: Given) => renewed(ask<Dashboard>("PUT", `${PATH}/${id}`, given)),
    remove: (id: string) => renewed(ask<unknown>("DELETE", `${PATH}/${id}`)),
  };
}
