/** The links of a record: made for some days, counted, and ended. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Alert, Button, LinearProgress, List, ListItem, ListItemText, MenuItem, Stack, TextField, Typography } from "@mui/material";
import DeleteIcon from "@mui/icons-material/DeleteOutlined";
import { useState } from "react";
import { useLocale, useNotify, useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { Section } from "../design/Section";
import { space } from "../design/tokens";
import { CopyButton } from "../keys/CopyButton";
import { ask } from "../session/transport";
import { moment } from "../values/formats";
import { LIVES, type Life, after } from "./lives";

interface Stored {
  id: string;
  until: string;
  uses: number;
}

/** ``path`` is where the record is. */
export function Links({ path }: { path: string }) {
  const translate = useTranslate();
  const sentence = useSentence();
  const locale = useLocale();
  const notify = useNotify();
  const queries = useQueryClient();
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
  const make = () => change(async () => setMade((await ask<{ url: string }>("POST", links, { until: after(life) })).url));
  const end = (link: Stored) => change(async () => {
    await ask("DELETE", `${links}/${link.id}`);
    notify("studio.sharing.ended", { type: "info" });
  });
  const found = error ?? fault;
  return (
    <Section title={translate("studio.sharing.links")}>
      <Typography variant="body2" color="text.secondary" sx={{ mb: space.usual }}>{translate("studio.sharing.text")}</Typography>
      {found !== undefined && found !== null && <Alert severity="error" sx={{ mb: space.usual }}>{sentence(found)}</Alert>}
      <Stack direction="row" useFlexGap sx={{ gap: space.usual, flexWrap: "wrap", alignItems: "center", mb: space.usual }}>
        <TextField select size="small" label={translate("studio.sharing.days")} value={life} onChange={(event) => setLife(event.target.value as Life)}>
          {LIVES.map((each) => <MenuItem key={each} value={each}>{translate(`studio.sharing.${each}`)}</MenuItem>)}
        </TextField>
        <Button variant="outlined" onClick={() => void make()}>{translate("studio.sharing.make")}</Button>
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
    </Section>
  );
}
