/** Dashboards that somebody keeps, or that are shared with them. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";

import { ask } from "../session/transport";
import type { Panel } from "./panels";

export interface Definition {
  panels?: readonly Panel[];
  days?: number;
}

export interface Dashboard {
  id: string;
  name: string;
  shared: boolean;
  own: boolean;
  writable: boolean;
  definition: Definition;
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

/** Change the definition of a dashboard: at once where it is shown, and one write after the other; each begins with what the last one left. */
export function useDefining(id: string) {
  const queries = useQueryClient();
  const { change } = useKeeping();
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return (make: (definition: Definition) => Definition): Promise<unknown> => {
    const shown = queries.getQueryData<Dashboard>([KEY, id]);
    if (!shown) return last.current;
    const definition = make(shown.definition);
    queries.setQueryData([KEY, id], { ...shown, definition });
    const written = last.current.catch(() => undefined).then(() => change(id, { definition }));
    last.current = written;
    return written.catch(async (error: unknown) => {
      await queries.invalidateQueries({ queryKey: [KEY, id] });
      throw error;
    });
  };
}

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
