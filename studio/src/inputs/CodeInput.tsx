/** A country, language or currency, found by its name or its code. */
import { Autocomplete, TextField } from "@mui/material";
import { useMemo } from "react";
import { InputHelperText, useInput, useLocale, useTranslate } from "react-admin";

import { type CodeType, codeName, codesOf } from "../values/codes";
import type { Shared } from "./FieldInput";

export function CodeInput({ type, source, label, helperText, validate, isRequired, autoFocus }: Shared & { type: CodeType }) {
  const translate = useTranslate();
  const locale = useLocale();
  const { id, field, fieldState } = useInput({ source, validate: [validate], isRequired });
  const value = typeof field.value === "string" && field.value !== "" ? field.value : null;
  const named = (code: string) => (codeName(type, code, locale) === code ? code : `${codeName(type, code, locale)} (${code})`);
  const options = useMemo(() => [...codesOf(type)].sort((one, other) => codeName(type, one, locale).localeCompare(codeName(type, other, locale), locale)), [type, locale]);
  return (
    <Autocomplete
      id={id} options={options} value={value} fullWidth freeSolo={type === "language"} autoSelect={type === "language"} getOptionLabel={named}
      onChange={(_, code) => field.onChange(code)} onBlur={field.onBlur}
      renderInput={(given) => (
        <TextField
          {...given} label={translate(label)} required={isRequired} error={fieldState.invalid} autoFocus={autoFocus ?? false}
          helperText={<InputHelperText error={fieldState.error?.message} helperText={helperText} />}
        />
      )}
    />
  );
}
