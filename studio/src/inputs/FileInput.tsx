/** A file, chosen or dropped, which goes with the record once that is saved. */
import UploadFileIcon from "@mui/icons-material/UploadFileOutlined";
import { Box, Button, FormHelperText, LinearProgress, Stack, Typography } from "@mui/material";
import { type DragEvent, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { InputHelperText, useInput, useLocale, useTranslate } from "react-admin";
import { useFormContext } from "react-hook-form";

import { progress as sending } from "../api/uploads";
import { useCatalogue } from "../catalogue/context";
import { bytes } from "../values/formats";
import { HIDDEN } from "../values/Value";
import type { Shared } from "./FieldInput";

export function FileInput({ source, label, validate, isRequired }: Omit<Shared, "helperText">) {
  const translate = useTranslate();
  const locale = useLocale();
  const { uploadMaxBytes } = useCatalogue();
  const { setValue, getValues, trigger } = useFormContext();
  const bound = { size: bytes(uploadMaxBytes, locale) };
  const check = (value: unknown) => {
    if (!(value instanceof File)) return validate(value);
    if (value.size === 0) return translate("studio.input.file_empty");
    return value.size > uploadMaxBytes ? translate("studio.input.file_large", bound) : undefined;
  };
  const { id, field, fieldState } = useInput({ source, validate: [check], isRequired });
  const chooser = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const progress = useSyncExternalStore(sending.subscribe, sending.get);
  const file = field.value instanceof File ? field.value : undefined;
  const preview = usePreview(file);

  const take = (given: File | undefined) => {
    if (!given) return;
    field.onChange(given);
    void trigger(source);
    if (!getValues("filename")) setValue("filename", given.name, { shouldDirty: true });
    if (!getValues("contentType") && given.type) setValue("contentType", given.type, { shouldDirty: true });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };

  return (
    <Box sx={{ width: "100%", my: 1 }}>
      <Stack
        spacing={1} onDragOver={(event) => (event.preventDefault(), setOver(true))} onDragLeave={() => setOver(false)} onDrop={drop}
        sx={{ border: 2, borderStyle: "dashed", borderColor: fieldState.invalid ? "error.main" : isOver ? "primary.main" : "divider", borderRadius: 1, p: 2, alignItems: "center" }}
      >
        <Box component="input" ref={chooser} id={id} type="file" tabIndex={-1} aria-hidden onChange={(event) => take(event.target.files?.[0])} sx={HIDDEN} />
        <Button variant="outlined" startIcon={<UploadFileIcon />} onClick={() => chooser.current?.click()} aria-describedby={`${id}-help`}>
          {translate(label)}: {translate("studio.input.file_choose")}{isRequired ? " *" : ""}
        </Button>
        <Typography variant="body2" color="text.secondary">{translate("studio.input.file_drop")}</Typography>
        {file && <Typography variant="body2">{file.name} · {bytes(file.size, locale)}</Typography>}
        {preview && <Box component="img" src={preview} alt={file?.name ?? ""} sx={{ maxWidth: "100%", maxHeight: 240 }} />}
        {progress !== undefined && <LinearProgress variant="determinate" value={progress} aria-label={translate("studio.input.uploading", { percent: Math.round(progress) })} sx={{ width: "100%" }} />}
      </Stack>
      <FormHelperText id={`${id}-help`} error={fieldState.invalid}><InputHelperText error={fieldState.error?.message} helperText={translate("studio.input.file_bound", bound)} /></FormHelperText>
    </Box>
  );
}

/** An address of the chosen picture, while it is chosen. */
function usePreview(file: File | undefined): string | undefined {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    if (!file || !/^image\/(png|jpeg|gif|webp)$/.test(file.type)) return setAddress(undefined);
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return address;
}
