/** A list that stays true, for React: `const { page, error } = useLive(rowgate.crm.deal, { where: { stage: "won" } })`. */
import { useEffect, useState } from "react";

import type { Expand, Field, Model, Page, Query, Selected } from "./queries.js";
import type { Live } from "./records.js";

/** What a component shows: the page as it is now, nothing until it has come; or what ends it. */
export interface LivePage<P> {
  page: P | undefined;
  error: unknown;
}

/** Keep the page of a list while the component is shown. A query that says the same is the same. */
export function useLive<M extends Model, const F extends Field<M> = never, const E extends Expand<M> = readonly []>(
  records: { live: Live<M> },
  query?: Query<M, F, E>,
): LivePage<Page<M, Selected<M, F, E>>> {
  const [state, setState] = useState<LivePage<Page<M, Selected<M, F, E>>>>({ page: undefined, error: undefined });
  const asked = JSON.stringify(query ?? {});
  useEffect(() => {
    setState({ page: undefined, error: undefined });
    return records.live(JSON.parse(asked) as Query<M, F, E>, (page) => setState({ page, error: undefined }), { onError: (error) => setState(({ page }) => ({ page, error })) });
  }, [records, asked]);
  return state;
}
