/** An amount in its currency; the service counts hundredths. */
import { InputAdornment, TextField } from "@mui/material";
import { useEffect, useState } from "react";
import { InputHelperText, useInput, useTranslate } from "react-admin";

import type { Shared } from "./FieldInput";

/** Hundredths of what somebody typed, with a point or a comma; NaN of what is no amount. */
export function hundredths(text: string): number | null {
  const plain = text.trim().replace(/\s/g, "");
  if (plain === "") return null;
  const point = Math.max(plain.lastIndexOf("."), plain.lastIndexOf(","));
  const hasDecimals = point >= 0 && plain.length - point <= 3;
  const whole = (hasDecimals ? plain.slice(0, point) : plain).replace(/[.,']/g, "");
  const decimals = hasDecimals ? plain.slice(point + 1).padEnd(2, "0") : "00";
  return /^-?\d+$/.test(whole) && /^\d\d$/.test(decimals) ? Number(`${whole}${decimals}`) : NaN;
}

const written = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? (value / 100).toFixed(2) : "");

export function MoneyInput({ source, label, helperText, validate, isRequired, autoFocus, currency }: Shared & { currency: string }) {
  const translate = useTranslate();
  const { id, field, fieldState } = useInput({ source, validate: [validate], isRequired });
  const [text, setText] = useState(() => written(field.value));
  useEffect(() => {
    setText((shown) => (hundredths(shown) === field.value ? shown : written(field.value)));
  }, [field.value]);
  return (
    <TextField
      id={id} name={source} label={translate(label)} value={text} required={isRequired} autoFocus={autoFocus ?? false} fullWidth
      onChange={(event) => (setText(event.target.value), field.onChange(hundredths(event.target.value)))}
      onBlur={() => (field.onBlur(), setText((shown) => (Number.isNaN(hundredths(shown)) ? shown : written(hundredths(shown)))))}
      inputRef={field.ref} error={fieldState.invalid}
      helperText={<InputHelperText error={fieldState.error?.message} helperText={helperText || translate("studio.input.amount", { currency })} />}
      slotProps={{ htmlInput: { inputMode: "decimal" }, input: { endAdornment: <InputAdornment position="end">{currency}</InputAdornment> } }}
    />
  );
}
