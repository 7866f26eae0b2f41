/** The pages of a list, with a jump to any of them. */
import FirstPageIcon from "@mui/icons-material/FirstPageOutlined";
import LastPageIcon from "@mui/icons-material/LastPageOutlined";
import NavigateBeforeIcon from "@mui/icons-material/NavigateBeforeOutlined";
import NavigateNextIcon from "@mui/icons-material/NavigateNextOutlined";
import { Box, IconButton, TextField, Typography } from "@mui/material";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { useTranslate } from "react-admin";

import type { Change, ListState } from "./state";

export function Pager({ state, change, total }: { state: ListState; change: Change; total: number | undefined }) {
  const translate = useTranslate();
  const pages = total === undefined ? undefined : Math.max(1, Math.ceil(total / state.perPage));
  const [text, setText] = useState(String(state.page));
  useEffect(() => setText(String(state.page)), [state.page]);
  const turn = (page: number) => change({ page: Math.max(1, Math.min(page, pages ?? page)) });
  const jump = (event: FormEvent) => (event.preventDefault(), turn(Math.trunc(Number(text)) || state.page));
  const step = (name: string, page: number, icon: ReactNode, isOff: boolean) => (
    <IconButton disabled={isOff} onClick={() => turn(page)} aria-label={translate(`studio.list.${name}`)}>{icon}</IconButton>
  );
  return (
    <Box component="nav" aria-label={translate("studio.list.pages")} sx={{ display: "flex", alignItems: "center" }}>
      {step("first", 1, <FirstPageIcon />, state.page === 1)}
      {step("previous", state.page - 1, <NavigateBeforeIcon />, state.page === 1)}
      <Box component="form" onSubmit={jump} sx={{ display: "flex", alignItems: "center", gap: 0.5 }}>
        <TextField size="small" value={text} onChange={(event) => setText(event.target.value)} onBlur={jump} sx={{ width: 72 }} slotProps={{ htmlInput: { inputMode: "numeric", "aria-label": translate("studio.list.jump") } }} />
        <Typography variant="body2">/ {pages ?? "…"}</Typography>
      </Box>
      {step("next", state.page + 1, <NavigateNextIcon />, pages !== undefined && state.page >= pages)}
      {step("last", pages ?? state.page, <LastPageIcon />, pages === undefined || state.page >= pages)}
    </Box>
  );
}
