/** A point on the earth in degrees, and with `hasReach` the kilometers around it. */
import { FormHelperText, Stack, TextField } from "@mui/material";
import { useEffect, useState } from "react";
import { InputHelperText, useInput, useTranslate } from "react-admin";

import { decimalOf } from "../values/exact";
import type { Shared } from "./FieldInput";

type Part = "lat" | "lng" | "km";
type Texts = Partial<Record<Part, string>>;

/** What the texts stand for: nothing of empty ones, and NaN of a part that is no number. */
function pointOf(texts: Texts, parts: readonly Part[]): Record<string, number> | null {
  if (parts.every((part) => !texts[part]?.trim())) return null;
  return Object.fromEntries(parts.map((part) => [part, Number(decimalOf(texts[part] ?? "") ?? NaN)]));
}

function textsOf(value: unknown): Texts {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, part]) => typeof part === "number" && Number.isFinite(part)).map(([name, part]) => [name, String(part)]));
}

export function PointInput({ source, label, helperText, validate, isRequired, autoFocus, hasReach }: Shared & { hasReach?: boolean }) {
  const translate = useTranslate();
  const { id, field, fieldState } = useInput({ source, validate: [validate], isRequired });
  const parts: readonly Part[] = hasReach ? ["lat", "lng", "km"] : ["lat", "lng"];
  const [texts, setTexts] = useState<Texts>(() => textsOf(field.value));
  const kept = JSON.stringify(field.value ?? null);
  useEffect(() => {
    setTexts((shown) => (JSON.stringify(pointOf(shown, Object.keys(shown) as Part[])) === kept ? shown : { ...shown, ...textsOf(JSON.parse(kept)) }));
  }, [kept]);
  const change = (part: Part, text: string) => {
    const next = { ...texts, [part]: text };
    setTexts(next);
    field.onChange(pointOf(next, parts));
  };
  return (
    <Stack role="group" aria-labelledby={`${id}-label`} sx={{ width: "100%" }}>
      <FormHelperText component="span" id={`${id}-label`} sx={{ mx: 0, mb: 1 }}>{translate(label)}{isRequired && " *"}</FormHelperText>
      <Stack direction="row" spacing={1}>
        {parts.map((part, place) => (
          <TextField
            key={part} {...(place === 0 ? { id, name: source, inputRef: field.ref } : { name: `${source}.${part}` })} label={translate(`studio.input.${part}`)} value={texts[part] ?? ""}
            error={fieldState.invalid} autoFocus={place === 0 && (autoFocus ?? false)} onChange={(event) => change(part, event.target.value)} onBlur={field.onBlur} slotProps={{ htmlInput: { inputMode: "decimal" } }}
          />
        ))}
      </Stack>
      <FormHelperText error={fieldState.invalid} component="span"><InputHelperText error={fieldState.error?.message} helperText={helperText} /></FormHelperText>
    </Stack>
  );
}
