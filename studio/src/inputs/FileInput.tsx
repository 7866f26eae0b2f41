/** A file, chosen or dropped: a small one goes with the record, a larger one on its own, with its progress. */
import UploadFileIcon from "@mui/icons-material/UploadFile";
import { Box, Button, FormHelperText, LinearProgress, Stack, Typography } from "@mui/material";
import { type DragEvent, useEffect, useRef, useState } from "react";
import { useInput, useLocale, useNotify, useRedirect, useResourceContext, useTranslate } from "react-admin";
import { useFormContext } from "react-hook-form";

import { useSentence } from "../api/sentences";
import { upload } from "../api/uploads";
import { bytes } from "../values/formats";
import { HIDDEN } from "../values/Value";
import type { Shared } from "./FieldInput";

async function base64(file: File): Promise<string> {
  const content = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let start = 0; start < content.length; start += 0x8000) text += String.fromCharCode(...content.subarray(start, start + 0x8000));
  return btoa(text);
}

export function FileInput({ source, label, helperText, validate, isRequired, max = 0 }: Shared & { max?: number | undefined }) {
  const translate = useTranslate();
  const locale = useLocale();
  const notify = useNotify();
  const redirect = useRedirect();
  const resource = useResourceContext();
  const sentence = useSentence();
  const { setValue, getValues } = useFormContext();
  const { id, field, fieldState } = useInput({ source, validate: [validate], isRequired });
  const chooser = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File>();
  const [progress, setProgress] = useState<number>();
  const [isOver, setOver] = useState(false);
  const preview = usePreview(file);
  // Base64 takes four characters for three bytes.
  const most = Math.floor(max / 4) * 3;

  const take = async (given: File | undefined) => {
    if (!given) return;
    setFile(given);
    if (given.size <= most) {
      field.onChange(await base64(given));
      if (!getValues("filename")) setValue("filename", given.name, { shouldDirty: true });
      if (!getValues("contentType") && given.type) setValue("contentType", given.type, { shouldDirty: true });
      return;
    }
    setProgress(0);
    try {
      const made = await upload(given, setProgress);
      notify("studio.record.created", { messageArgs: { record: given.name }, type: "success" });
      redirect("show", resource, made);
    } catch (error) {
      notify(sentence(error), { type: "error" });
      setFile(undefined);
    } finally {
      setProgress(undefined);
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };

  return (
    <Box sx={{ width: "100%", my: 1 }}>
      <Stack
        spacing={1} onDragOver={(event) => (event.preventDefault(), setOver(true))} onDragLeave={() => setOver(false)} onDrop={drop}
        sx={{ border: 2, borderStyle: "dashed", borderColor: fieldState.invalid ? "error.main" : isOver ? "primary.main" : "divider", borderRadius: 1, p: 2, alignItems: "center" }}
      >
        <Box component="input" ref={chooser} id={id} type="file" tabIndex={-1} aria-hidden onChange={(event) => void take(event.target.files?.[0])} sx={HIDDEN} />
        <Button variant="outlined" startIcon={<UploadFileIcon />} onClick={() => chooser.current?.click()} aria-describedby={`${id}-help`}>
          {translate(label)}: {translate("studio.input.file_choose")}{isRequired ? " *" : ""}
        </Button>
        <Typography variant="body2" color="text.secondary">{translate("studio.input.file_drop")}</Typography>
        {file && <Typography variant="body2">{file.name} · {bytes(file.size, locale)}</Typography>}
        {preview && <Box component="img" src={preview} alt={file?.name ?? ""} sx={{ maxWidth: "100%", maxHeight: 240 }} />}
        {progress !== undefined && <LinearProgress variant="determinate" value={progress} aria-label={translate("studio.input.uploading", { percent: Math.round(progress) })} sx={{ width: "100%" }} />}
      </Stack>
      <FormHelperText id={`${id}-help`} error={fieldState.invalid}>{fieldState.error?.message ?? (helperText || " ")}</FormHelperText>
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
