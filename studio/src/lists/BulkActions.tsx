/** What can be done with the rows that are chosen. */
import { useQueryClient } from "@tanstack/react-query";
import { Button, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle, MenuItem, Paper, Stack, TextField, Typography } from "@mui/material";
import { Suspense, lazy, useState } from "react";
import { Form, SaveButton, useNotify, useTranslate } from "react-admin";

import { provider } from "../api/provider";
import { useSentence } from "../api/sentences";
import { nameOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { useWrites } from "../changes/undo";
import { FieldInput } from "../inputs/FieldInput";
import { type Row, copyOf } from "../records/values";
import type { Of } from "./rows";
import type { Selection } from "./selection";
import type { ListState } from "./state";

const ExportDialog = lazy(() => import("./ExportDialog"));

interface Props {
  model: Model;
  state: ListState;
  selection: Selection;
  of?: Of | undefined;
}

type Open = "change" | "delete" | "export" | undefined;

export default function BulkActions({ model, state, selection, of }: Props) {
  const translate = useTranslate();
  const [open, setOpen] = useState<Open>();
  const ids = [...selection.ids];
  const writes = useWrites(model.undoable);
  const { meta } = writes;
  const run = useRun(model, writes, () => (selection.clear(), setOpen(undefined)));
  const { operations } = model;
  const duplicate = () =>
    run("duplicate", async () => {
      const { data } = await provider.getMany(nameOf(model), { ids });
      for (const record of data) await provider.create(nameOf(model), { data: copyOf(model, record as Row), meta });
      return data.length;
    });
  const change = (values: object) => run("change", async () => (await provider.updateMany(nameOf(model), { ids, data: values, meta })).data.length);
  const remove = () => run("delete", async () => (await provider.deleteMany(nameOf(model), { ids, meta })).data.length);
  return (
    <Paper elevation={6} role="region" aria-label={translate("studio.list.actions")} sx={{ position: "sticky", bottom: 8, zIndex: 3, p: 1 }}>
      <Stack direction="row" useFlexGap sx={{ alignItems: "center", flexWrap: "wrap", gap: 1 }}>
        <Typography sx={{ flex: 1 }}>{translate("studio.list.selected", { smart_count: ids.length })}</Typography>
        {operations.update && <Button onClick={() => setOpen("change")}>{translate("studio.list.change")}</Button>}
        {operations.create && <Button onClick={() => void duplicate()}>{translate("studio.list.duplicate")}</Button>}
        {operations.export && <Button onClick={() => setOpen("export")}>{translate("studio.list.export")}</Button>}
        {operations.delete && <Button color="error" onClick={() => setOpen("delete")}>{translate("studio.list.delete")}</Button>}
        <Button onClick={selection.clear}>{translate("studio.list.deselect")}</Button>
      </Stack>
      {open === "change" && <ChangeDialog model={model} count={ids.length} onSave={change} onClose={() => setOpen(undefined)} />}
      {open === "delete" && <DeleteDialog count={ids.length} onDelete={() => void remove()} onClose={() => setOpen(undefined)} />}
      {open === "export" && <Suspense fallback={null}><ExportDialog model={model} state={state} of={of} total={undefined} selected={ids} onClose={() => setOpen(undefined)} /></Suspense>}
    </Paper>
  );
}

function useRun(model: Model, { start, tell }: ReturnType<typeof useWrites>, done: () => void) {
  const notify = useNotify();
  const sentence = useSentence();
  const queries = useQueryClient();
  return async (what: "change" | "duplicate" | "delete", work: () => Promise<number>) => {
    start();
    try {
      const count = await work();
      tell(`studio.bulk.${what}_done`, { smart_count: count });
      done();
    } catch (error) {
      notify(sentence(error), { type: "error" });
    } finally {
      await queries.invalidateQueries({ queryKey: [nameOf(model)] });
    }
  };
}

function ChangeDialog({ model, count, onSave, onClose }: { model: Model; count: number; onSave: (values: object) => Promise<void>; onClose: () => void }) {
  const translate = useTranslate();
  const fields = model.fields.filter((field) => field.settable.includes("update") && field.readable && !field.unique);
  const [field, setField] = useState<Field>(fields[0]!);
  const save = (values: Record<string, unknown>) => onSave({ [field.name]: values[field.name] ?? null });
  return (
    <Dialog open onClose={onClose} fullWidth maxWidth="sm" aria-labelledby="bulk-change">
      <Form onSubmit={save} key={field.name} sanitizeEmptyValues={false}>
        <DialogTitle id="bulk-change">{translate("studio.bulk.change_title", { smart_count: count })}</DialogTitle>
        <DialogContent>
          <TextField select fullWidth margin="dense" label={translate("studio.bulk.change_field")} value={field.name} onChange={(event) => setField(fields.find(({ name }) => name === event.target.value)!)}>
            {fields.map(({ name }) => <MenuItem key={name} value={name}>{translate(`resources.${nameOf(model)}.fields.${name}`)}</MenuItem>)}
          </TextField>
          <FieldInput model={model} field={field} on="update" />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>{translate("studio.record.cancel")}</Button>
          <SaveButton />
        </DialogActions>
      </Form>
    </Dialog>
  );
}

function DeleteDialog({ count, onDelete, onClose }: { count: number; onDelete: () => void; onClose: () => void }) {
  const translate = useTranslate();
  return (
    <Dialog open onClose={onClose} aria-labelledby="bulk-delete" aria-describedby="bulk-delete-text">
      <DialogTitle id="bulk-delete">{translate("studio.bulk.delete_title", { smart_count: count })}</DialogTitle>
      <DialogContent><DialogContentText id="bulk-delete-text">{translate("studio.bulk.delete_text")}</DialogContentText></DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{translate("studio.record.cancel")}</Button>
        <Button color="error" variant="contained" onClick={onDelete}>{translate("studio.list.delete")}</Button>
      </DialogActions>
    </Dialog>
  );
}
