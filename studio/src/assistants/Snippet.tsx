/** A text for programs, which scrolls by itself, with a button that copies it. */
import { Box } from "@mui/material";

import { CopyButton } from "../keys/CopyButton";

interface Props {
  text: string;
  /** What it is. */
  label: string;
}

const LOOK = { m: 0, mb: 1, maxHeight: 480, overflow: "auto", fontSize: "0.85em" } as const;

export function Snippet({ text, label }: Props) {
  return (
    <>
      <Box component="pre" tabIndex={0} role="group" aria-label={label} sx={LOOK}><code>{text}</code></Box>
      <CopyButton text={text} what={label} />
    </>
  );
}
