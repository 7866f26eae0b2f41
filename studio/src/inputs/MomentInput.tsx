/** A moment in the reader's zone. */
import { TextField } from "@mui/material";
import { InputHelperText, useInput, useTranslate } from "react-admin";

import { ZONE, fromLocal, toLocal } from "../values/formats";
import type { Shared } from "./FieldInput";

export function MomentInput({ source, label, helperText, validate, isRequired, autoFocus }: Shared) {
  const translate = useTranslate();
  const { id, field, fieldState } = useInput({ source, validate: [validate], isRequired });
  return (
    <TextField
      id={id} name={source} type="datetime-local" label={translate(label)} value={toLocal(field.value)} required={isRequired} fullWidth autoFocus={autoFocus ?? false}
      onChange={(event) => field.onChange(fromLocal(event.target.value))} onBlur={field.onBlur} inputRef={field.ref} error={fieldState.invalid}
      helperText={<InputHelperText error={fieldState.error?.message} helperText={helperText || translate("studio.input.zone", { zone: ZONE })} />}
      slotProps={{ inputLabel: { shrink: true } }}
    />
  );
}
