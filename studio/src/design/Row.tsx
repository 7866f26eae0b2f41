/** A line of a form that is no input: what it is about, and beneath or beside it what it holds. */
import { Box, Typography } from "@mui/material";
import { type ReactNode, useId } from "react";

import { space } from "./tokens";

interface Props {
  label: string;
  /** What is wrong with it. */
  fault?: string | undefined;
  children: ReactNode;
}

export function Row({ label, fault, children }: Props) {
  const id = useId();
  return (
    <Box role="group" aria-labelledby={id} sx={{ minWidth: 0, mb: space.usual }}>
      <Typography id={id} variant="body2" color="text.secondary" sx={{ mb: space.tight }}>{label}</Typography>
      {children}
      {fault && <Typography variant="body2" color="error" role="alert" sx={{ mt: space.tight, overflowWrap: "anywhere" }}>{fault}</Typography>}
    </Box>
  );
}
