/** A file of a record: uploaded when it is chosen, and the record's once that is saved. */
import UploadFileIcon from "@mui/icons-material/UploadFileOutlined";
import { Box, Button, FormHelperText, LinearProgress, Stack, Typography } from "@mui/material";
import { useRef, useState, useSyncExternalStore } from "react";
import { InputHelperText, useInput, useLocale, useRecordContext, useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { progress as sending, sendFile } from "../api/uploads";
import { useCatalogue } from "../catalogue/context";
import type { Field, Model } from "../catalogue/types";
import { FileValue } from "../values/FileValue";
import { bytes } from "../values/formats";
import { HIDDEN } from "../values/Value";
import type { Shared } from "./FieldInput";

export function UploadInput({ source, label, validate, isRequired, model, field: declared }: Omit<Shared, "helperText"> & { model: Model; field: Field }) {
  const translate = useTranslate();
  const locale = useLocale();
  const sentence = useSentence();
  const record = useRecordContext();
  const { uploadMaxBytes } = useCatalogue();
  const { id, field, fieldState } = useInput({ source, validate: [validate], isRequired });
  const chooser = useRef<HTMLInputElement>(null);
  const [name, setName] = useState("");
  const [fault, setFault] = useState("");
  const progress = useSyncExternalStore(sending.subscribe, sending.get);
  const { types = [], maxBytes = uploadMaxBytes } = declared.constraints ?? {};
  const most = Math.min(maxBytes, uploadMaxBytes);
  const bound = { size: bytes(most, locale) };
  const isKept = Boolean(record && field.value && record[source] === field.value);

  const take = async (given: File | undefined) => {
    if (!given) return;
    if (given.size > most) return setFault(translate("studio.input.file_large", bound));
    if (given.type && types.length > 0 && !types.includes(given.type)) return setFault(translate("studio.input.file_type", { types: types.join(", ") }));
    setFault("");
    try {
      field.onChange(await sendFile(given, given.name, given.type));
      setName(given.name);
    } catch (error) {
      setFault(sentence(error));
    }
  };

  return (
    <Box sx={{ width: "100%", my: 1 }}>
      <Box component="input" ref={chooser} id={id} type="file" accept={types.join(",")} tabIndex={-1} aria-hidden onChange={(event) => (void take(event.target.files?.[0]), (event.target.value = ""))} sx={HIDDEN} />
      <Stack direction="row" spacing={1} useFlexGap sx={{ alignItems: "center", flexWrap: "wrap" }}>
        <Button variant="outlined" startIcon={<UploadFileIcon />} onClick={() => chooser.current?.click()} aria-describedby={`${id}-help`}>
          {translate(label)}: {translate("studio.input.file_choose")}{isRequired ? " *" : ""}
        </Button>
        {name && field.value && <Typography variant="body2">{name}</Typography>}
        {isKept && <FileValue model={model} field={declared} id={String(record!.id)} brief />}
        {field.value && <Button onClick={() => (field.onChange(null), setName(""))}>{translate("studio.input.file_remove")}</Button>}
      </Stack>
      {progress !== undefined && <LinearProgress variant="determinate" value={progress} aria-label={translate("studio.input.uploading", { percent: Math.round(progress) })} />}
      <FormHelperText id={`${id}-help`} error={Boolean(fault || fieldState.error)}><InputHelperText error={fault || fieldState.error?.message} helperText={translate("studio.input.file_bound", bound)} /></FormHelperText>
    </Box>
  );
}
