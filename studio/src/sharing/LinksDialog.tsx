/** The links of a record: made for some days, counted, and ended. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Alert, Button, Dialog, DialogActions, DialogContent, DialogTitle, LinearProgress, List, ListItem, ListItemText, MenuItem, Stack, TextField, Typography } from "@mui/material";
import DeleteIcon from "@mui/icons-material/Delete";
import { useId, useState } from "react";
import { useLocale, useNotify, useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { space } from "../design/tokens";
import { CopyButton } from "../keys/CopyButton";
import { ask } from "../session/transport";
import { moment } from "../values/formats";

interface Props {
  /** Where the record is. */
  path: string;
  name: string;
  onClose: () => void;
}

interface Stored {
  id: string;
  until: string;
  uses: number;
}

const LIVES = { day: 1, week: 7, month: 30, year: 365 } as const;
type Life = keyof typeof LIVES;
// A minute less, so that a year is none too long for a service whose clock is behind.
const after = (days: number) => new Date(Date.now() + days * 86_400_000 - 60_000).toISOString();

export default function LinksDialog({ path, name, onClose }: Props) {
  const translate = useTranslate();
  const sentence = useSentence();
  const locale = useLocale();
  const notify = useNotify();
  const queries = useQueryClient();
  const title = useId();
  const [life, setLife] = useState<Life>("week");
  const [made, setMade] = useState<string>();
  const [fault, setFault] = useState<unknown>();
  const links = `${path}/_link`;
  const key = ["links", path];
  const { data, error } = useQuery({ queryKey: key, queryFn: ({ signal }) => ask<{ data: Stored[] }>("GET", links, undefined, signal) });
  const change = async (work: () => Promise<void>) => {
    setFault(undefined);
    await work().catch(setFault);
    await queries.invalidateQueries({ queryKey: key });
  };
  const make = () => change(async () => setMade((await ask<{ url: string }>("POST", links, { until: after(LIVES[life]) })).url));
  const end = (link: Stored) => change(async () => {
    await ask("DELETE", `${links}/${link.id}`);
    notify("studio.sharing.ended", { type: "info" });
  });
  const found = error ?? fault;
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby={title}>
      <DialogTitle id={title}>{translate("studio.sharing.title", { name })}</DialogTitle>
      <DialogContent>
        <Typography sx={{ mb: space.usual }}>{translate("studio.sharing.text")}</Typography>
        {found !== undefined && found !== null && <Alert severity="error" sx={{ mb: space.usual }}>{sentence(found)}</Alert>}
        <Stack direction="row" useFlexGap sx={{ gap: space.usual, flexWrap: "wrap", alignItems: "center", mb: space.usual }}>
          <TextField select size="small" label={translate("studio.sharing.days")} value={life} onChange={(event) => setLife(event.target.value as Life)}>
            {Object.keys(LIVES).map((each) => <MenuItem key={each} value={each}>{translate(`studio.sharing.${each}`)}</MenuItem>)}
          </TextField>
          <Button variant="contained" onClick={() => void make()}>{translate("studio.sharing.make")}</Button>
        </Stack>
        {made && (
          <Alert severity="success" icon={false} sx={{ mb: space.usual }}>
            <Typography>{translate("studio.sharing.made")}. {translate("studio.sharing.made_text")}</Typography>
            <Typography component="code" sx={{ overflowWrap: "anywhere" }}>{made}</Typography>
            <CopyButton text={made} what={translate("studio.sharing.made")} />
          </Alert>
        )}
        {!data && !error ? <LinearProgress aria-label={translate("studio.list.loading")} /> : data?.data.length === 0 ? <Typography color="text.secondary">{translate("studio.sharing.none")}</Typography> : (
          <List dense disablePadding>
            {data?.data.map((link) => {
              const when = moment(link.until, locale);
              const label = translate("studio.sharing.end", { when });
              return (
                <ListItem key={link.id} disableGutters secondaryAction={<Button color="error" startIcon={<DeleteIcon />} aria-label={label} onClick={() => void end(link)}>{translate("studio.record.delete")}</Button>}>
                  <ListItemText primary={translate("studio.sharing.until", { when })} secondary={link.uses ? translate("studio.sharing.uses", { smart_count: link.uses }) : translate("studio.sharing.unused")} />
                </ListItem>
              );
            })}
          </List>
        )}
      </DialogContent>
      <DialogActions><Button onClick={onClose}>{translate("studio.transfer.close")}</Button></DialogActions>
    </Dialog>
  );
}
