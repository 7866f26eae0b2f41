/** The people, teams and addresses with whom a record is shared: each may read it or write it, until some day. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Alert, Autocomplete, Button, IconButton, List, ListItem, ListItemText, MenuItem, Stack, TextField, Typography } from "@mui/material";
import DeleteIcon from "@mui/icons-material/DeleteOutlined";
import { useState } from "react";
import { useLocale, useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { provider } from "../api/provider";
import { shortId } from "../catalogue/catalogue";
import { Section } from "../design/Section";
import { space } from "../design/tokens";
import { usePeople } from "../inputs/PersonField";
import { ask } from "../session/transport";
import { moment } from "../values/formats";
import { LIVES, type Life, after } from "./lives";

type Recipient = { userId: string } | { teamId: string } | { email: string };
type May = "read" | "write";

interface Share {
  with: Recipient;
  may: May;
  until: string | null;
}

interface Named {
  recipient: Recipient;
  name: string;
  kind: "people" | "teams";
}

const RIGHTS: readonly May[] = ["read", "write"];
const same = (one: Recipient, other: Recipient) => JSON.stringify(one) === JSON.stringify(other);

/** Whom a record can be shared with by name: colleagues and teams. */
function useNamed(): readonly Named[] {
  const people = usePeople();
  const { data } = useQuery({
    queryKey: ["auth/team", "named"],
    queryFn: ({ signal }) => provider.getList("auth/team", { pagination: { page: 1, perPage: 1000 }, meta: { count: "none" }, signal }),
  });
  const named = people.map(({ id, name }): Named => ({ recipient: { userId: id }, name, kind: "people" }));
  const teams = (data?.data ?? []).map(({ id, name }): Named => ({ recipient: { teamId: String(id) }, name: String(name), kind: "teams" }));
  return [...named, ...teams];
}

/** ``path`` is where the record is. */
export function People({ path }: { path: string }) {
  const translate = useTranslate();
  const sentence = useSentence();
  const queries = useQueryClient();
  const named = useNamed();
  const [fault, setFault] = useState<unknown>();
  const where = `${path}/_sharing`;
  const key = ["sharing", path];
  const query = useQuery({ queryKey: key, queryFn: ({ signal }) => ask<{ data: Share[] }>("GET", where, undefined, signal) });
  const shares = query.data?.data ?? [];
  const set = async (wanted: readonly Share[]) => {
    setFault(undefined);
    try {
      queries.setQueryData(key, await ask<{ data: Share[] }>("PUT", where, { data: wanted }));
      return true;
    } catch (error) {
      setFault(error);
      return false;
    }
  };
  const nameOf = (recipient: Recipient) => ("email" in recipient ? recipient.email : (named.find((each) => same(each.recipient, recipient))?.name ?? shortId(Object.values(recipient)[0] as string)));
  const others = (share: Share) => shares.filter((each) => !same(each.with, share.with));
  return (
    <Section title={translate("studio.sharing.people")} query={query}>
      {fault !== undefined && fault !== null && <Alert severity="error" sx={{ mb: space.usual }}>{sentence(fault)}</Alert>}
      <Adding named={named.filter(({ recipient }) => !shares.some((each) => same(each.with, recipient)))} onAdd={(share) => set([...others(share), share])} />
      {shares.length === 0 ? <Typography color="text.secondary">{translate("studio.sharing.nobody")}</Typography> : (
        <List dense disablePadding>
          {shares.map((share) => (
            <Shared key={JSON.stringify(share.with)} share={share} name={nameOf(share.with)} onChange={(may) => void set(shares.map((each) => (each === share ? { ...each, may } : each)))} onEnd={() => void set(others(share))} />
          ))}
        </List>
      )}
    </Section>
  );
}

function Shared({ share, name, onChange, onEnd }: { share: Share; name: string; onChange: (may: May) => void; onEnd: () => void }) {
  const translate = useTranslate();
  const locale = useLocale();
  const end = translate("studio.sharing.stop", { name });
  return (
    <ListItem disableGutters sx={{ gap: space.tight }}>
      <ListItemText primary={name} secondary={share.until ? translate("studio.sharing.until", { when: moment(share.until, locale) }) : undefined} sx={{ overflowWrap: "anywhere" }} />
      <Rights value={share.may} label={translate("studio.sharing.may_of", { name })} onChange={onChange} />
      <IconButton aria-label={end} title={end} onClick={onEnd}><DeleteIcon /></IconButton>
    </ListItem>
  );
}

function Rights({ value, label, onChange }: { value: May; label: string; onChange: (may: May) => void }) {
  const translate = useTranslate();
  return (
    <TextField select size="small" value={value} onChange={(event) => onChange(event.target.value as May)} sx={{ flexShrink: 0 }} slotProps={{ htmlInput: { "aria-label": label } }}>
      {RIGHTS.map((each) => <MenuItem key={each} value={each}>{translate(`studio.sharing.${each}`)}</MenuItem>)}
    </TextField>
  );
}

/** Somebody by name, or an address that is typed. */
function Adding({ named, onAdd }: { named: readonly Named[]; onAdd: (share: Share) => Promise<boolean> }) {
  const translate = useTranslate();
  const [who, setWho] = useState<Named | string | null>(null);
  const [words, setWords] = useState("");
  const [may, setMay] = useState<May>("read");
  const [life, setLife] = useState<Life | "always">("always");
  const typed = typeof who === "string" ? who : words.trim();
  const recipient: Recipient | null = who !== null && typeof who !== "string" ? who.recipient : typed.includes("@") ? { email: typed } : null;
  const add = async () => {
    if (recipient && (await onAdd({ with: recipient, may, until: life === "always" ? null : after(life) }))) {
      setWho(null);
      setWords("");
    }
  };
  return (
    <Stack component="form" direction="row" useFlexGap sx={{ gap: space.tight, flexWrap: "wrap", alignItems: "center", mb: space.usual }} onSubmit={(event) => { event.preventDefault(); void add(); }}>
      <Autocomplete
        freeSolo size="small" options={named} value={who} inputValue={words} groupBy={({ kind }) => translate(`studio.sharing.${kind}_of`)} sx={{ flex: 1, minWidth: 200 }}
        getOptionLabel={(each) => (typeof each === "string" ? each : each.name)} getOptionKey={(each) => (typeof each === "string" ? each : JSON.stringify(each.recipient))}
        onChange={(_, chosen) => setWho(chosen)} onInputChange={(_, text) => setWords(text)}
        renderInput={(given) => <TextField {...given} label={translate("studio.sharing.who")} />}
      />
      <Rights value={may} label={translate("studio.sharing.may")} onChange={setMay} />
      <TextField select size="small" value={life} onChange={(event) => setLife(event.target.value as Life | "always")} slotProps={{ htmlInput: { "aria-label": translate("studio.sharing.days") } }}>
        {(["always", ...LIVES] as const).map((each) => <MenuItem key={each} value={each}>{translate(`studio.sharing.${each}`)}</MenuItem>)}
      </TextField>
      <Button type="submit" variant="contained" disabled={recipient === null}>{translate("studio.sharing.share")}</Button>
    </Stack>
  );
}
