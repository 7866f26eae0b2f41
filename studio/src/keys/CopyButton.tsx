/** A button that copies a text, and says whether it could: pages may not everywhere. */
import CheckIcon from "@mui/icons-material/CheckOutlined";
import ContentCopyIcon from "@mui/icons-material/ContentCopyOutlined";
import { Box, Button } from "@mui/material";
import { useState } from "react";
import { useTranslate } from "react-admin";

import { HIDDEN } from "../values/Value";

interface Props {
  text: string;
  /** What is copied. */
  what: string;
  onCopied?: () => void;
}

type Outcome = "copied" | "copy_failed";

/** Browsers leave the clipboard out on pages without TLS. */
async function copyText(text: string): Promise<Outcome> {
  try {
    await navigator.clipboard.writeText(text);
    return "copied";
  } catch {
    return "copy_failed";
  }
}

export function CopyButton({ text, what, onCopied }: Props) {
  const translate = useTranslate();
  // An outcome is that of its text: another text has not been copied.
  const [last, setLast] = useState<{ text: string; outcome: Outcome }>();
  const outcome = last?.text === text ? last.outcome : undefined;
  const copy = async () => {
    const found = await copyText(text);
    setLast({ text, outcome: found });
    if (found === "copied") onCopied?.();
  };
  const label = translate(outcome === "copied" ? "studio.keys.copied" : "studio.keys.copy");
  return (
    <Box sx={{ display: "inline-flex", flexWrap: "wrap", alignItems: "center", gap: 1 }}>
      <Button startIcon={outcome === "copied" ? <CheckIcon /> : <ContentCopyIcon />} aria-label={`${label}: ${what}`} onClick={() => void copy()}>{label}</Button>
      <Box role="status" sx={outcome === "copy_failed" ? { typography: "body2", color: "error.main" } : HIDDEN}>{outcome && translate(`studio.keys.${outcome}`)}</Box>
    </Box>
  );
}
