/** One grant: of which models, what it opens, which fields, and of which rows. */
import DeleteIcon from "@mui/icons-material/DeleteOutlined";
import { Autocomplete, Box, Button, IconButton, Paper, Stack, TextField, ToggleButton, ToggleButtonGroup, Tooltip, Typography } from "@mui/material";
import { useMemo } from "react";
import { useTranslate } from "react-admin";

import { useCatalogue } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { Row } from "../design/Row";
import { space, type } from "../design/tokens";
import { Filters } from "../lists/Filters";
import { type Change, type Grant, type GrantFaults, OPERATIONS, changed, choicesOf, commonOf, conditionsOf, modelsOf, namable, operationsOf, whereOf } from "./grants";
import { useModelName } from "./names";

interface Props {
  number: number;
  grant: Grant;
  faults: GrantFaults;
  onChange: (grant: Grant) => void;
  onRemove: () => void;
}

const TOGGLES = { flexWrap: "wrap", gap: space.tight, "& .MuiToggleButton-root": { border: 1, borderColor: "divider", borderRadius: 4, px: 1.25, py: 0.25 } };

export function GrantCard({ number, grant, faults, onChange, onRemove }: Props) {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  const named = useModelName();
  const model = useMemo(() => commonOf(modelsOf(grant, catalogue)), [catalogue, grant]);
  const change = (given: Change) => onChange(changed(grant, given));
  const said = (fault: string | undefined) => fault && translate(fault, { _: fault });
  const [title, removal, operations] = [translate("studio.access.grant", { number }), translate("studio.access.remove", { number }), translate("studio.access.operations")];
  return (
    <Paper component="section" variant="outlined" aria-label={title} sx={{ p: space.usual, minWidth: 0 }}>
      <Stack direction="row" sx={{ alignItems: "center", mb: space.near }}>
        <Typography component="p" variant="subtitle1" sx={{ flex: 1 }}>{title}</Typography>
        <Tooltip title={removal}><IconButton size="small" aria-label={removal} onClick={onRemove}><DeleteIcon fontSize="small" /></IconButton></Tooltip>
      </Stack>
      <Names label={translate("studio.access.models")} options={choicesOf(catalogue)} value={grant.models} named={named} fault={said(faults.models ?? faults.whole)} onChange={(models) => change({ models })} />
      <Row label={operations} fault={said(faults.operations)}>
        <ToggleButtonGroup size="small" color="primary" value={[...operationsOf(grant)]} onChange={(_, chosen: string[]) => change({ operations: OPERATIONS.filter((each) => chosen.includes(each)) })} aria-label={operations} sx={TOGGLES}>
          {OPERATIONS.map((each) => <ToggleButton key={each} value={each}>{translate(`studio.access.may_${each}`)}</ToggleButton>)}
        </ToggleButtonGroup>
      </Row>
      <Names
        label={translate("studio.access.fields")} options={model ? namable(model).map(({ name }) => name) : []} value={grant.fields ?? []} named={(name) => translate(`resources..fields.${name}`)}
        fault={said(faults.fields)} helperText={translate("studio.access.fields_text")} onChange={(fields) => change({ fields: fields.length > 0 ? fields : undefined })}
      />
      <Row label={translate("studio.access.where")} fault={said(faults.where)}>
        <Rows model={model} where={grant.where} onChange={(where) => change({ where })} />
      </Row>
    </Paper>
  );
}

interface NamesProps {
  label: string;
  options: readonly string[];
  value: readonly string[];
  named: (name: string) => string;
  fault: string | undefined;
  helperText?: string;
  onChange: (names: string[]) => void;
}

/** Several names out of many. */
function Names({ label, options, value, named, fault, helperText, onChange }: NamesProps) {
  return (
    <Autocomplete
      multiple disableCloseOnSelect size="small" options={options} value={[...value]} getOptionLabel={named} getOptionKey={(each) => each} onChange={(_, names) => onChange(names)} sx={{ mb: space.usual }}
      renderInput={(given) => <TextField {...given} label={label} error={Boolean(fault)} helperText={fault ?? helperText} />}
    />
  );
}

/** Of which rows: by the conditions that lists are filtered with. */
function Rows({ model, where, onChange }: { model: Model | undefined; where: Grant["where"]; onChange: (where: Grant["where"] | undefined) => void }) {
  const translate = useTranslate();
  const conditions = model && conditionsOf(model, where);
  if (model && conditions) {
    return (
      // The form of a condition is no part of the form around it.
      <Stack direction="row" useFlexGap sx={{ flexWrap: "wrap", alignItems: "center", gap: space.near }} onSubmit={(event) => event.stopPropagation()}>
        {conditions.length === 0 && <Typography variant="body2">{translate("studio.access.where_all")}</Typography>}
        <Filters model={model} conditions={conditions} onChange={(next) => onChange(whereOf(next))} />
      </Stack>
    );
  }
  if (!where) return <Typography variant="body2" color="text.secondary">{translate("studio.access.where_later")}</Typography>;
  return (
    <>
      <Box component="pre" tabIndex={0} role="group" aria-label={translate("studio.access.where")} sx={{ m: 0, overflowX: "auto", fontSize: type.code }}>{JSON.stringify(where, null, 2)}</Box>
      <Button size="small" onClick={() => onChange(undefined)}>{translate("studio.access.where_drop")}</Button>
    </>
  );
}
