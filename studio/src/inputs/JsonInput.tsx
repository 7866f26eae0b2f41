/** JSON with an editor that checks what is typed. */
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { linter } from "@codemirror/lint";
import { Box, Button, FormHelperText, FormLabel, Stack, useTheme } from "@mui/material";
import CodeMirror, { EditorView } from "@uiw/react-codemirror";
import { useEffect, useMemo, useRef, useState } from "react";
import { InputHelperText, useInput, useTranslate } from "react-admin";

import { NONCE } from "../nonce";
import type { Shared } from "./FieldInput";
import { Malformed, type Shape, jsonFault, parsed, written } from "./json";

export default function JsonInput({ source, label, helperText, validate, isRequired, shape }: Shared & { shape?: Shape }) {
  const translate = useTranslate();
  const { palette } = useTheme();
  const check = (value: unknown) => {
    const fault = jsonFault(value, shape);
    if (fault) return translate(fault, value instanceof Malformed ? { message: value.message } : {});
    return validate(value);
  };
  const { id, field, fieldState } = useInput({ source, validate: [check], isRequired });
  const [text, setText] = useState(() => written(field.value));
  const last = useRef<unknown>(field.value);
  useEffect(() => {
    if (field.value !== last.current) setText(written((last.current = field.value)));
  }, [field.value]);
  const extensions = useMemo(
    () => [
      json(), linter(jsonParseLinter()), EditorView.lineWrapping, EditorView.cspNonce.of(NONCE),
      EditorView.contentAttributes.of({ "aria-labelledby": `${id}-label`, "aria-describedby": `${id}-help`, "aria-multiline": "true" }),
    ],
    [id],
  );
  const change = (given: string) => {
    setText(given);
    field.onChange((last.current = parsed(given)));
  };
  const format = () => {
    const value = parsed(text);
    if (!(value instanceof Malformed)) change(written(value));
  };
  return (
    <Box sx={{ width: "100%", my: 1 }}>
      <Stack direction="row" sx={{ alignItems: "center", justifyContent: "space-between" }}>
        <FormLabel id={`${id}-label`} error={fieldState.invalid} required={isRequired}>{translate(label)}</FormLabel>
        <Button size="small" onClick={format}>{translate("studio.input.format")}</Button>
      </Stack>
      <Box sx={{ border: 1, borderColor: fieldState.invalid ? "error.main" : "divider", borderRadius: 1, overflow: "hidden" }}>
        <CodeMirror
          value={text} onChange={change} onBlur={field.onBlur} extensions={extensions} theme={palette.mode} minHeight="80px" maxHeight="360px" indentWithTab={false}
          basicSetup={{ foldGutter: false, highlightActiveLine: false, lineNumbers: false }}
        />
      </Box>
      <FormHelperText id={`${id}-help`} error={fieldState.invalid}><InputHelperText error={fieldState.error?.message} helperText={helperText || " "} /></FormHelperText>
    </Box>
  );
}
