/** A list as a file: what is asked for, in which format and with which fields. */
import { Button, Dialog, DialogActions, DialogContent, DialogTitle, MenuItem, Stack, TextField, Typography } from "@mui/material";
import { type Filter, RowgateError } from "@rowgate/client/react-admin";
import { useState } from "react";
import { useNotify, useTranslate } from "react-admin";

import { pathOf } from "../api/provider";
import { useSentence } from "../api/sentences";
import { nameOf } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import { save } from "../values/files";
import { send } from "../session/transport";
import { type Of, useFilter } from "./rows";
import type { ListState } from "./state";

interface Props {
  model: Model;
  state: ListState;
  of?: Of | undefined;
  total: number | undefined;
  selected: readonly string[];
  onClose: () => void;
}

const FORMATS = { csv: "CSV", json: "JSON", ndjson: "NDJSON" };
/** As many ids as an address can hold. */
const MOST_SELECTED = 200;

/** The address of the file. */
export function exportAddress(model: Model, state: ListState, filter: Filter, given: { format: string; columns: readonly string[] | undefined; ids: readonly string[] | undefined }): URL {
  const url = new URL(`${pathOf(nameOf(model))}/_export`, location.href);
  const { where, q } = filter;
  const asked = given.ids ? { id: { in: given.ids } } : where;
  url.searchParams.set("as", given.format);
  if (asked) url.searchParams.set("where", JSON.stringify(asked));
  if (q && !given.ids) url.searchParams.set("search", q);
  if (state.sort.length > 0) url.searchParams.set("sort", state.sort.join(","));
  if (given.columns) url.searchParams.set("fields", given.columns.join(","));
  return url;
}

export default function ExportDialog({ model, state, of, total, selected, onClose }: Props) {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const [format, setFormat] = useState("csv");
  const [columns, setColumns] = useState("shown");
  const canSelect = selected.length > 0 && selected.length <= MOST_SELECTED;
  const [scope, setScope] = useState(canSelect ? "selected" : "all");
  const [isBusy, setBusy] = useState(false);
  const resource = nameOf(model);
  const models = translate(`resources.${resource}.name`, { smart_count: 2 });
  const filter = useFilter(model, state, of);
  const download = async () => {
    setBusy(true);
    try {
      const ids = scope === "selected" ? selected : undefined;
      const response = await send(new Request(exportAddress(model, state, filter, { format, columns: columns === "shown" ? state.columns : undefined, ids })));
      if (!response.ok) throw await RowgateError.of(response);
      const name = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "")?.[1] ?? `export.${format}`;
      save(await response.blob(), name);
      notify("studio.transfer.exported", { type: "success" });
      onClose();
    } catch (error) {
      notify(sentence(error), { type: "error" });
    } finally {
      setBusy(false);
    }
  };
  const choice = (label: string, value: string, set: (value: string) => void, options: Record<string, string>) => (
    <TextField select fullWidth label={translate(label)} value={value} onChange={(event) => set(event.target.value)}>
      {Object.entries(options).map(([each, text]) => <MenuItem key={each} value={each}>{text}</MenuItem>)}
    </TextField>
  );
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="xs" aria-labelledby="export-title">
      <DialogTitle id="export-title">{translate("studio.transfer.export_title", { models })}</DialogTitle>
      <DialogContent>
        <Stack spacing={2} sx={{ pt: 1 }}>
          {canSelect && choice("studio.transfer.what", scope, setScope, {
            selected: translate("studio.transfer.scope_selected", { count: selected.length }), all: translate("studio.transfer.scope_all", { count: total ?? "…" }),
          })}
          {choice("studio.transfer.format", format, setFormat, FORMATS)}
          {choice("studio.transfer.fields", columns, setColumns, { shown: translate("studio.transfer.columns_shown"), all: translate("studio.transfer.columns_all") })}
          <Typography variant="body2" color="text.secondary">{translate("studio.transfer.as_stored")}</Typography>
        </Stack>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{translate("studio.record.cancel")}</Button>
        <Button variant="contained" disabled={isBusy} onClick={() => void download()}>{translate("studio.transfer.download")}</Button>
      </DialogActions>
    </Dialog>
  );
}
