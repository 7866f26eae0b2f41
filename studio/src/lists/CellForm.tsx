/** The form of one field of one record, loaded once somebody changes one where it stands. */
import { Button, Stack } from "@mui/material";
import type { Row } from "@rowgate/client/react-admin";
import { useState } from "react";
import { Form, RecordContextProvider, SaveButton, useTranslate, useUpdate } from "react-admin";

import { nameOf } from "../catalogue/catalogue";
import { useWrites } from "../changes/undo";
import { FieldInput } from "../inputs/FieldInput";
import { useHold } from "../live/freshness";
import { useConflict } from "../records/conflict";
import type { CellProps } from "./CellEditor";

export default function CellForm({ model, field, record: current, onDone }: CellProps & { onDone: () => void }) {
  const translate = useTranslate();
  // As it was when somebody began, whatever the list shows by now: a save is for this version.
  const [record] = useState(current);
  const [update, { isPending }] = useUpdate();
  const { meta, tell } = useWrites(model.undoable);
  const resource = nameOf(model);
  const saved = () => (tell("studio.record.saved"), onDone());
  const { failed, dialog } = useConflict(model, { meta, onSaved: saved, onReload: onDone });
  useHold();
  const save = async (values: object) => {
    const value = (values as Row)[field.name] as unknown;
    try {
      await update(resource, { id: record.id, data: { [field.name]: value }, previousData: record, meta }, { mutationMode: "pessimistic", returnPromise: true });
      saved();
      return undefined;
    } catch (error) {
      const errors = (error as { body?: { errors?: Record<string, string> } }).body?.errors;
      if (errors && field.name in errors) return errors;
      await failed(error, { ...record, [field.name]: value }, record);
      return undefined;
    }
  };
  return (
    <RecordContextProvider value={record}>
      <Form record={record} onSubmit={save} sanitizeEmptyValues={false}>
        <Stack spacing={1} sx={{ p: 2, width: 360, maxWidth: "90vw" }}>
          <FieldInput model={model} field={field} on="update" autoFocus />
          <Stack direction="row" spacing={1} sx={{ justifyContent: "flex-end" }}>
            <Button onClick={onDone}>{translate("studio.record.cancel")}</Button>
            <SaveButton disabled={isPending} />
          </Stack>
        </Stack>
      </Form>
      {dialog}
    </RecordContextProvider>
  );
}
