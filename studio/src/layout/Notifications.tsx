/** The bell: one's own notifications as they come, and what of them was not read yet. Admins may read those of others. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import NotificationsNoneIcon from "@mui/icons-material/NotificationsOutlined";
import { Badge, Box, Button, IconButton, Link, List, ListItem, Popover, Stack, Typography } from "@mui/material";
import { useRef, useState } from "react";
import { useLocale, useNotify, useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { provider } from "../api/provider";
import { useSentence } from "../api/sentences";
import { useCatalogue, usePerson } from "../catalogue/context";
import { listOf } from "../organizations/queries";
import { distance } from "../values/formats";
import { HIDDEN } from "../values/Value";

const RESOURCE = "notification/notification";
const SHOWN = 20;
/** Milliseconds between two looks where the service tells of no changes. */
const LOOKS = 30_000;
/** How many are marked at once. */
const PORTION = 1000;

const unreadOf = (userId: string) => ({ where: { userId, readAt: { isNull: true } } });

/** The newest notifications of somebody, and how many of all are unread. */
function useBell(userId: string) {
  const { changesDays } = useCatalogue();
  return useQuery({
    refetchInterval: changesDays > 0 ? false : LOOKS,
    queryKey: [RESOURCE, "bell", userId],
    queryFn: async ({ signal }) => {
      const [newest, unread] = await Promise.all([
        provider.getList(RESOURCE, { filter: { userId }, pagination: { page: 1, perPage: SHOWN }, meta: { count: "none" }, signal }),
        provider.getList(RESOURCE, { filter: unreadOf(userId), pagination: { page: 1, perPage: 1 }, meta: { fields: ["id"], count: "exact" }, signal }),
      ]);
      return { entries: newest.data, unread: unread.total ?? 0 };
    },
  });
}

/** The title of the newest notification that came while somebody was here. */
function useNewest(entries: readonly Record<string, unknown>[], isSuccess: boolean): string {
  const last = Math.max(0, ...entries.map(({ sequence }) => Number(sequence)));
  const [begin, setBegin] = useState<number>();
  if (begin === undefined && isSuccess) setBegin(last);
  const newest = entries.find(({ sequence }) => Number(sequence) === last);
  return begin !== undefined && last > begin && newest ? String(newest.title) : "";
}

/** Mark all that somebody has not read, those beyond what is shown as well. */
async function markAllRead(userId: string): Promise<void> {
  const readAt = new Date().toISOString();
  for (;;) {
    const { data } = await provider.getList(RESOURCE, { filter: unreadOf(userId), pagination: { page: 1, perPage: PORTION }, meta: { fields: ["id"], count: "none" } });
    if (data.length === 0) return;
    await provider.updateMany(RESOURCE, { ids: data.map(({ id }) => id), data: { readAt } });
  }
}

export function Notifications() {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const person = usePerson();
  const queries = useQueryClient();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { data: { entries, unread } = { entries: [], unread: 0 }, isSuccess } = useBell(person.id);
  const told = useNewest(entries, isSuccess);
  const markRead = async () => {
    await markAllRead(person.id).catch((error: unknown) => notify(sentence(error), { type: "error" }));
    await queries.invalidateQueries({ queryKey: [RESOURCE] });
  };
  const label = translate("studio.notifications.label", { smart_count: unread });
  return (
    <>
      <Box role="status" aria-live="polite" sx={HIDDEN}>{told}</Box>
      <IconButton ref={button} onClick={() => setOpen(true)} aria-label={label} aria-haspopup="dialog">
        <Badge badgeContent={unread} color="error"><NotificationsNoneIcon /></Badge>
      </IconButton>
      <Popover open={isOpen} anchorEl={button.current} onClose={() => setOpen(false)} anchorOrigin={{ vertical: "bottom", horizontal: "right" }} transformOrigin={{ vertical: "top", horizontal: "right" }} slotProps={{ paper: { role: "dialog", "aria-label": translate("studio.notifications.title") } }}>
        <Stack direction="row" sx={{ alignItems: "center", justifyContent: "space-between", px: 2, pt: 1 }}>
          <Typography component="h2" variant="subtitle1">{translate("studio.notifications.title")}</Typography>
          <Button size="small" disabled={unread === 0} onClick={() => void markRead()}>{translate("studio.notifications.read_all")}</Button>
        </Stack>
        <Entries entries={entries} />
        <Box sx={{ px: 2, pb: 1 }}><Link component={RouterLink} to={listOf(RESOURCE, "userId", person.id)} onClick={() => setOpen(false)}>{translate("studio.notifications.all")}</Link></Box>
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
