/** The bell: notifications as they come, and what was not read yet. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import NotificationsNoneIcon from "@mui/icons-material/NotificationsNone";
import { Badge, Box, Button, IconButton, Link, List, ListItem, Popover, Stack, Typography } from "@mui/material";
import { useEffect, useRef, useState } from "react";
import { useLocale, useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { provider } from "../api/provider";
import { ask } from "../session/transport";
import { follow } from "../session/stream";
import { distance } from "../values/formats";
import { HIDDEN } from "../values/Value";

const RESOURCE = "notification/notification";
const KEY = [RESOURCE, "bell"];
const SHOWN = 20;

function useNewest() {
  return useQuery({
    queryKey: KEY,
    queryFn: async ({ signal }) => (await provider.getList(RESOURCE, { pagination: { page: 1, perPage: SHOWN }, meta: { count: "none" }, signal })).data,
  });
}

export function Notifications() {
  const translate = useTranslate();
  const queries = useQueryClient();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [told, setTold] = useState("");
  const { data = [], isSuccess } = useNewest();
  const unread = data.filter(({ readAt }) => !readAt);
  const last = Math.max(0, ...data.map(({ sequence }) => Number(sequence)));
  const begin = useRef(last);
  begin.current = last;
  useEffect(() => {
    if (!isSuccess) return undefined;
    const look = () => void queries.invalidateQueries({ queryKey: [RESOURCE] });
    return follow(String(begin.current), (notification) => (setTold(notification.title), look()), look);
  }, [isSuccess, queries]);
  const markRead = async () => {
    const readAt = new Date().toISOString();
    await Promise.all(unread.map(({ id }) => ask("PUT", `/api/v1/${RESOURCE}/${id}`, { readAt })));
    await queries.invalidateQueries({ queryKey: [RESOURCE] });
  };
  const label = translate("studio.notifications.label", { smart_count: unread.length });
  return (
    <>
      <Box role="status" aria-live="polite" sx={HIDDEN}>{told}</Box>
      <IconButton ref={button} onClick={() => setOpen(true)} aria-label={label} aria-haspopup="dialog">
        <Badge badgeContent={unread.length} color="error"><NotificationsNoneIcon /></Badge>
      </IconButton>
      <Popover open={isOpen} anchorEl={button.current} onClose={() => setOpen(false)} anchorOrigin={{ vertical: "bottom", horizontal: "right" }} transformOrigin={{ vertical: "top", horizontal: "right" }} slotProps={{ paper: { role: "dialog", "aria-label": translate("studio.notifications.title") } }}>
        <Stack direction="row" sx={{ alignItems: "center", justifyContent: "space-between", px: 2, pt: 1 }}>
          <Typography component="h2" variant="subtitle1">{translate("studio.notifications.title")}</Typography>
          <Button size="small" disabled={unread.length === 0} onClick={() => void markRead()}>{translate("studio.notifications.read_all")}</Button>
        </Stack>
        <Entries entries={data} />
        <Box sx={{ px: 2, pb: 1 }}><Link component={RouterLink} to={`/${RESOURCE}`} onClick={() => setOpen(false)}>{translate("studio.notifications.all")}</Link></Box>
      </Popover>
    </>
  );
}

function Entries({ entries }: { entries: readonly Record<string, unknown>[] }) {
  const translate = useTranslate();
  const locale = useLocale();
  if (entries.length === 0) return <Typography sx={{ px: 2, py: 1 }} color="text.secondary">{translate("studio.notifications.none")}</Typography>;
  return (
    <List dense sx={{ width: 380, maxWidth: "92vw", maxHeight: 420, overflowY: "auto" }}>
      {entries.map(({ id, title, body, createdAt, readAt }) => (
        <ListItem key={String(id)} sx={{ display: "block", borderInlineStart: 3, borderColor: readAt ? "transparent" : "primary.main" }}>
          <Typography variant="body2" sx={{ fontWeight: readAt ? 400 : 600, overflowWrap: "anywhere" }}>{String(title)}</Typography>
          {body ? <Typography variant="body2" color="text.secondary" sx={{ overflowWrap: "anywhere" }}>{String(body)}</Typography> : null}
          <Typography variant="caption" color="text.secondary">{distance(String(createdAt), locale)}</Typography>
        </ListItem>
      ))}
    </List>
  );
}
