/** Once somebody signs out, in this tab or another, nothing of what was read is kept. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { onSignOut } from "./bearer";
import { signInPath } from "./transport";

export function LeaveOnSignOut() {
  const queries = useQueryClient();
  useEffect(
    () =>
      onSignOut(() => {
        queries.clear();
        location.assign(signInPath());
      }),
    [queries],
  );
  return null;
}
