/** In place of what is not there: what that means, and what can be done. */
import { Paper, Typography } from "@mui/material";
import type { ReactNode } from "react";

import { space } from "./tokens";

export function Nothing({ title, text, children }: { title: string; text?: string; children?: ReactNode }) {
  return (
    <Paper variant="outlined" sx={{ p: space.usual, textAlign: "center" }}>
      <Typography sx={{ fontWeight: 600 }}>{title}</Typography>
      {text && <Typography variant="body2" color="text.secondary">{text}</Typography>}
      {children}
    </Paper>
  );
}
