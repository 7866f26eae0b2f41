/** A list of short texts, free or out of a choice. */
import { Autocomplete, TextField } from "@mui/material";
import { InputHelperText, useInput, useTranslate } from "react-admin";

import type { Shared } from "./FieldInput";

interface Props extends Shared {
  items?: readonly string[] | undefined;
  /** The enumeration that names the items. */
  names?: string | undefined;
}

export function StringsInput({ source, label, helperText, validate, isRequired, items, names }: Props) {
  const translate = useTranslate();
  const { id, field, fieldState } = useInput({ source, validate: [validate], isRequired });
  return (
    <Autocomplete
      id={id} multiple freeSolo={!items} autoSelect={!items} options={items ?? []} value={Array.isArray(field.value) ? (field.value as string[]) : []} fullWidth
      getOptionLabel={(each) => (names ? translate(`value.${names}.${each}`) : each)} disableCloseOnSelect={Boolean(items)}
      onChange={(_, values) => field.onChange(values)} onBlur={field.onBlur}
      renderInput={(given) => (
        <TextField
          {...given} label={translate(label)} required={isRequired} error={fieldState.invalid}
          helperText={<InputHelperText error={fieldState.error?.message} helperText={helperText || (items ? false : translate("studio.input.list_add"))} />}
        />
      )}
    />
  );
}
