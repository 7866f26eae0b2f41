/** The form of a webhook: where to, of what, and whose words for it. */
import { Autocomplete, TextField } from "@mui/material";
import { useState } from "react";
import { TextInput, maxLength, required, useInput, useTranslate } from "react-admin";

import { FormDialog, type Values } from "../organizations/FormDialog";
import { type Webhook, useEventNames, useEventTypes } from "./webhooks";

const FIELDS = ["url", "description", "eventTypes"];
const URL_RULES = [required(), maxLength(2048)];
const isAny = (types: unknown) => (Array.isArray(types) && types.length > 0 ? undefined : "ra.validation.required");

interface Props {
  webhook?: Webhook;
  onSave: (values: Values) => Promise<unknown>;
  onClose: () => void;
}

export function WebhookDialog({ webhook, onSave, onClose }: Props) {
  const translate = useTranslate();
  const [values] = useState(() => ({ url: webhook?.url ?? "", description: webhook?.description ?? null, eventTypes: webhook?.eventTypes ?? [] }));
  const save = ({ url: to, description: words, eventTypes: types }: Values) => onSave({ url: String(to).trim(), description: String(words ?? "").trim() || null, eventTypes: types });
  return (
    <FormDialog
      title={translate(webhook ? "studio.webhooks.edit" : "studio.webhooks.new")} label={webhook ? "studio.record.save" : "studio.webhooks.new"} fields={FIELDS}
      values={values} onSave={save} onClose={onClose}
    >
      <TextInput source="url" type="url" label="studio.webhooks.url" helperText="studio.webhooks.url_text" validate={URL_RULES} autoFocus fullWidth autoComplete="off" slotProps={{ htmlInput: { "aria-required": true } }} />
      <EventTypesInput />
      <TextInput source="description" label="studio.webhooks.description" validate={maxLength(500)} fullWidth helperText={false} />
    </FormDialog>
  );
}

function EventTypesInput() {
  const translate = useTranslate();
  const nameOfType = useEventNames();
  const { field, fieldState } = useInput({ source: "eventTypes", validate: [isAny], defaultValue: [] });
  const fault = fieldState.error?.message;
  return (
    <Autocomplete
      multiple options={useEventTypes()} value={field.value as string[]} onChange={(_, types) => field.onChange(types)} onBlur={field.onBlur} getOptionLabel={nameOfType} disableCloseOnSelect filterSelectedOptions
      renderInput={(props) => (
        <TextField {...props} label={translate("studio.webhooks.events")} margin="dense" required error={fieldState.invalid} helperText={fault ? translate(fault.replace(/^@@react-admin@@"|"$/g, ""), { _: fault }) : translate("studio.webhooks.events_text")} slotProps={{ ...props.slotProps, htmlInput: { ...props.slotProps.htmlInput, required: false } }} />
      )}
    />
  );
}
