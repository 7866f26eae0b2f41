/** What is typed as a text and kept in one form: days, times of day, durations, decimals and colors. */
import { TextField } from "@mui/material";
import { type HTMLAttributes, useEffect, useState } from "react";
import { InputHelperText, useInput, useLocale, useTranslate } from "react-admin";

import type { Field } from "../catalogue/types";
import { decimalOf, durationOf } from "../values/exact";
import { duration } from "../values/formats";
import type { Shared } from "./FieldInput";

interface Form {
  type: "date" | "time" | "text";
  inputMode?: HTMLAttributes<HTMLInputElement>["inputMode"];
  /** The value that a text stands for; the text itself where it stands for none, so that it can be told so. */
  read: (text: string) => string;
  /** What the text means, beside what is said of the field. */
  meaning?: (value: string, locale: string) => string;
  hint?: string;
}

const same = (text: string) => text;
const FORMS: Record<string, Form> = {
  date: { type: "date", read: same },
  time: { type: "time", read: (text) => (/^\d\d:\d\d$/.test(text) ? `${text}:00` : text) },
  duration: { type: "text", read: (text) => durationOf(text) ?? text, meaning: (value, locale) => (durationOf(value) ? duration(value, locale) : ""), hint: "studio.input.duration" },
  decimal: { type: "text", inputMode: "decimal", read: (text) => decimalOf(text) ?? text },
  color: { type: "text", read: (text) => text.trim().toLowerCase(), hint: "studio.input.color" },
};

export function PlainInput({ field: { type, nullable }, source, label, helperText, validate, isRequired, autoFocus }: Shared & { field: Field }) {
  const translate = useTranslate();
  const locale = useLocale();
  const form = FORMS[type]!;
  const { id, field, fieldState } = useInput({ source, validate: [validate], isRequired });
  const value = typeof field.value === "string" ? field.value : "";
  const [text, setText] = useState(value);
  useEffect(() => {
    setText((shown) => (form.read(shown) === value ? shown : value));
  }, [value, form]);
  const told = helperText || (form.meaning?.(value, locale) || (form.hint ? translate(form.hint) : false));
  return (
    <TextField
      id={id} name={source} type={form.type} label={translate(label)} value={text} required={isRequired} fullWidth autoFocus={autoFocus ?? false}
      onChange={(event) => (setText(event.target.value), field.onChange(event.target.value === "" ? (nullable ? null : "") : form.read(event.target.value)))}
      onBlur={() => (field.onBlur(), setText(value))} inputRef={field.ref} error={fieldState.invalid}
      helperText={<InputHelperText error={fieldState.error?.message} helperText={told} />}
      slotProps={{ input: type === "color" ? { endAdornment: <Picker color={value} label={translate("studio.input.pick")} onPick={field.onChange} /> } : {}, inputLabel: { shrink: form.type === "text" ? undefined : true }, htmlInput: { inputMode: form.inputMode, step: form.type === "time" ? 1 : undefined } }}
    />
  );
}

/** The browser's own choice of colors. */
function Picker({ color, label, onPick }: { color: string; label: string; onPick: (color: string) => void }) {
  return <input type="color" aria-label={label} value={/^#[0-9a-f]{6}$/.test(color) ? color : "#ffffff"} onChange={(event) => onPick(event.target.value)} style={{ width: 32, height: 24, padding: 0, border: 0, background: "none", cursor: "pointer" }} />;
}
