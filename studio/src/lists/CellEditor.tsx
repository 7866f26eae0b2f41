/** One field of one record, changed where it stands. */
import { Button, Popover, Stack } from "@mui/material";
import type { Row } from "@rowgate/client/react-admin";
import { useRef, useState } from "react";
import { Form, RecordContextProvider, SaveButton, useTranslate, useUpdate } from "react-admin";

import { nameOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { useWrites } from "../changes/undo";
import { FieldInput } from "../inputs/FieldInput";
import { useHold } from "../live/freshness";
import { useConflict } from "../records/conflict";

interface Props {
  model: Model;
  field: Field;
  record: Row;
  name: string;
}

export function CellEditor(props: Props) {
  const translate = useTranslate();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const label = translate(`resources.${nameOf(props.model)}.fields.${props.field.name}`);
  return (
    <>
      <button type="button" ref={button} className="edit" onClick={() => setOpen(true)} aria-label={translate("studio.list.edit_cell", { field: label, record: props.name })}>
        <svg viewBox="0 0 16 16" aria-hidden><path d="M2 14v-3l8-8 3 3-8 8zM11 2l1-1 3 3-1 1z" /></svg>
      </button>
      {isOpen && (
        <Popover open anchorEl={button.current} onClose={() => setOpen(false)} anchorOrigin={{ vertical: "bottom", horizontal: "right" }} transformOrigin={{ vertical: "top", horizontal: "right" }} slotProps={{ paper: { role: "dialog", "aria-label": label } }}>
          <Editor {...props} onDone={() => setOpen(false)} />
        </Popover>
      )}
    </>
  );
}

function Editor({ model, field, record: current, onDone }: Props & { onDone: () => void }) {
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
