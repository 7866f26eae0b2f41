/** Which rows are chosen. */
import { useCallback, useMemo, useState } from "react";

export interface Selection {
  ids: ReadonlySet<string>;
  has: (id: string) => boolean;
  toggle: (id: string) => void;
  add: (ids: readonly string[]) => void;
  clear: () => void;
}

export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((id: string) => {
    setIds((before) => (before.has(id) ? new Set([...before].filter((each) => each !== id)) : new Set([...before, id])));
  }, []);
  const add = useCallback((given: readonly string[]) => setIds((before) => new Set([...before, ...given])), []);
  const clear = useCallback(() => setIds(new Set()), []);
  return useMemo(() => ({ ids, has: (id) => ids.has(id), toggle, add, clear }), [add, clear, ids, toggle]);
}
