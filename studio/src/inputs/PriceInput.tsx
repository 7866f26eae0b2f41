/** An amount with its currency. */
import { Autocomplete, Stack, TextField, createFilterOptions } from "@mui/material";
import { useEffect, useState } from "react";
import { InputHelperText, useInput, useLocale, useTranslate } from "react-admin";

import { useCatalogue } from "../catalogue/context";
import { decimalOf, isMoney } from "../values/exact";
import { codeName, codesOf } from "../values/codes";
import type { Shared } from "./FieldInput";

export function PriceInput({ source, label, helperText, validate, isRequired, autoFocus }: Shared) {
  const translate = useTranslate();
  const locale = useLocale();
  const catalogue = useCatalogue();
  const { id, field, fieldState } = useInput({ source, validate: [validate], isRequired });
  const amount = isMoney(field.value) ? field.value.amount : "";
  const currency = isMoney(field.value) ? field.value.currency : catalogue.currency;
  const [text, setText] = useState(amount);
  useEffect(() => {
    setText((shown) => ((decimalOf(shown) ?? shown) === amount ? shown : amount));
  }, [amount]);
  const change = (typed: string, code: string) => field.onChange(typed.trim() === "" ? null : { amount: decimalOf(typed) ?? typed, currency: code });
  return (
    <Stack direction="row" spacing={1} sx={{ width: "100%", alignItems: "flex-start" }}>
      <TextField
        id={id} name={source} label={translate(label)} value={text} required={isRequired} autoFocus={autoFocus ?? false} sx={{ flex: 1 }}
        onChange={(event) => (setText(event.target.value), change(event.target.value, currency))} onBlur={() => (field.onBlur(), setText(amount))}
        inputRef={field.ref} error={fieldState.invalid} helperText={<InputHelperText error={fieldState.error?.message} helperText={helperText} />}
        slotProps={{ htmlInput: { inputMode: "decimal" } }}
      />
      <Autocomplete
        options={codesOf("currency")} value={currency} disableClearable sx={{ width: 150 }} onChange={(_, code) => change(text, code)}
        getOptionLabel={(code) => code} filterOptions={createFilterOptions({ stringify: (code) => `${code} ${codeName("currency", code, locale)}` })} slotProps={{ popper: { sx: { minWidth: 260 } } }}
        renderOption={({ key, ...props }, code) => <li key={key} {...props}>{`${code} · ${codeName("currency", code, locale)}`}</li>}
        renderInput={(given) => <TextField {...given} label={translate("studio.input.currency")} />}
      />
    </Stack>
  );
}
