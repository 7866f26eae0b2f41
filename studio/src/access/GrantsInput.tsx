/** The editor of grants: whether there is a list, and what each grant of it opens. */
import AddIcon from "@mui/icons-material/AddOutlined";
import { Alert, Box, Button, FormControlLabel, Radio, RadioGroup, Stack } from "@mui/material";
import { useState } from "react";
import { useInput, useTranslate } from "react-admin";

import { Nothing } from "../design/Nothing";
import { Row } from "../design/Row";
import { space } from "../design/tokens";
import { GrantCard } from "./GrantCard";
import { type Access, type Grant, MOST_GRANTS, NEW, faultsOfGrant } from "./grants";

/** Whom the list narrows: what no list means differs. */
export type Whose = "key" | "member" | "team" | "invitation";

interface Props {
  whose: Whose;
  value: Access;
  onChange: (access: Access) => void;
  /** What the service says against the list, by place. */
  faults?: Readonly<Record<string, string>>;
}

export function GrantsEditor({ whose, value, onChange, faults = {} }: Props) {
  const translate = useTranslate();
  // What was there is there again for whoever tries the other choice.
  const [kept, setKept] = useState<Access>([]);
  const choose = (isNarrowed: boolean) => (isNarrowed ? onChange(kept ?? []) : (setKept(value), onChange(null)));
  const replace = (place: number, grants: readonly Grant[]) => value && onChange([...value.slice(0, place), ...grants, ...value.slice(place + 1)]);
  const label = translate("studio.access.label");
  return (
    <Row label={label} fault={faults.access}>
      <RadioGroup value={value === null ? "all" : "narrowed"} onChange={(_, chosen) => choose(chosen === "narrowed")} aria-label={label}>
        <FormControlLabel value="all" control={<Radio size="small" />} label={translate(`studio.access.all_${whose}`)} />
        <FormControlLabel value="narrowed" control={<Radio size="small" />} label={translate("studio.access.narrowed")} />
      </RadioGroup>
      {value !== null && (
        <Stack spacing={space.near} sx={{ mt: space.near }}>
          {value.length === 0 && <Nothing title={translate("studio.access.nothing")} text={translate("studio.access.nothing_text")} />}
          {value.map((grant, place) => (
            <GrantCard key={place} number={place + 1} grant={grant} faults={faultsOfGrant(faults, place)} onChange={(next) => replace(place, [next])} onRemove={() => replace(place, [])} />
          ))}
          {value.length < MOST_GRANTS ? <Button startIcon={<AddIcon />} onClick={() => onChange([...value, NEW])} sx={{ alignSelf: "flex-start" }}>{translate("studio.access.add")}</Button>
            : <Alert severity="info">{translate("studio.access.most", { smart_count: MOST_GRANTS })}</Alert>}
        </Stack>
      )}
    </Row>
  );
}

/** The same in a form, as its `access`. */
export function GrantsInput({ whose, faults }: { whose: Whose; faults: Readonly<Record<string, string>> }) {
  const { field } = useInput({ source: "access" });
  return <Box sx={{ mt: space.usual }}><GrantsEditor whose={whose} value={(field.value as Access | undefined) || null} onChange={field.onChange} faults={faults} /></Box>;
}
