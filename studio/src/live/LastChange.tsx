/** Who has just changed what one looks at. */
import { type Theme, Typography, alpha } from "@mui/material";
import { useTranslate } from "react-admin";

import { useActorNames } from "../changes/log";
import type { Touched } from "./heard";

/** How that looks. */
export const TOUCHED = { bgcolor: ({ palette }: Theme) => alpha(palette.primary.main, 0.1), borderRadius: 1 };

export function LastChange({ touched }: { touched: readonly Touched[] }) {
  const last = touched.at(-1);
  return <Typography variant="body2" color="text.secondary" role="status" sx={{ minHeight: "1.5em", overflowWrap: "anywhere" }}>{last && <Sentence {...last} />}</Typography>;
}

function Sentence({ operation, actor, name }: Touched) {
  const translate = useTranslate();
  const nameOfActor = useActorNames();
  // Of what is out of sight, nobody is told who did it.
  if (operation === "delete" || !actor) return <>{translate("studio.live.gone", { record: name })}</>;
  return <>{translate(operation === "create" ? "studio.live.create" : "studio.live.update", { name: nameOfActor(actor), record: name })}</>;
}
