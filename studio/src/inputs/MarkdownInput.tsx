/** Long text as Markdown, with a preview. */
import { Box, Tab, Tabs, TextField } from "@mui/material";
import { Suspense, lazy, useState } from "react";
import { InputHelperText, useInput, useTranslate } from "react-admin";

import type { Shared } from "./FieldInput";

const Markdown = lazy(() => import("../values/Markdown"));

export function MarkdownInput({ source, label, helperText, validate, isRequired, max }: Shared & { max?: number | undefined }) {
  const translate = useTranslate();
  const [isPreview, setPreview] = useState(false);
  const { id, field, fieldState } = useInput({ source, validate: [validate], isRequired });
  const text = (field.value as string | null) ?? "";
  const count = max !== undefined && text.length > max * 0.8 ? translate("studio.input.long", { count: text.length, max }) : "";
  const name = translate(label);
  return (
    <Box sx={{ width: "100%", mt: 1, mb: 0.5 }}>
      <Tabs value={isPreview ? 1 : 0} onChange={(_, chosen) => setPreview(chosen === 1)} aria-label={name} sx={{ minHeight: 36, mb: 1, "& .MuiTab-root": { minHeight: 36, py: 0.5 } }}>
        <Tab label={translate("studio.input.write")} id={`${id}-write`} aria-controls={`${id}-panel`} />
        <Tab label={translate("studio.input.preview")} id={`${id}-preview`} aria-controls={`${id}-panel`} />
      </Tabs>
      <Box role="tabpanel" id={`${id}-panel`} aria-labelledby={isPreview ? `${id}-preview` : `${id}-write`}>
        {isPreview ? (
          <Box sx={{ border: 1, borderColor: "divider", borderRadius: 1, p: 2, minHeight: 120 }}>
            {text.trim() ? <Suspense fallback={null}><Markdown text={text} /></Suspense> : translate("studio.input.nothing")}
          </Box>
        ) : (
          <TextField
            id={id} name={source} label={name} value={text} onChange={(event) => field.onChange(event.target.value)} onBlur={field.onBlur} inputRef={field.ref}
            multiline minRows={4} maxRows={20} fullWidth required={isRequired} error={fieldState.invalid}
            helperText={<InputHelperText error={fieldState.error?.message} helperText={[helperText, count, translate("studio.input.markdown")].filter(Boolean).join(" · ")} />}
          />
        )}
      </Box>
    </Box>
  );
}
