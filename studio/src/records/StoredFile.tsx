/** A stored file: opened by its bytes, which the service gives to whoever may read the record. */
import { Box, Button, Stack } from "@mui/material";
import { useNotify, useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { bytesAt, save, usePicture } from "../values/files";

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Bytes up to which a picture is shown at once. */
const SHOWN = 2 * 1024 * 1024;

type Row = Record<string, unknown>;

export function StoredFile({ record }: { record: Row }) {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const isPicture = PICTURES.includes(String(record.contentType)) && Number(record.size) <= SHOWN && record.status === "stored";
  const picture = usePicture(isPicture ? String(record.url) : undefined);
  const download = () =>
    bytesAt(String(record.url)).then(
      (blob) => save(blob, String(record.filename)),
      (error: unknown) => notify(sentence(error), { type: "error" }),
    );
  return (
    <Stack spacing={1} sx={{ alignItems: "flex-start" }}>
      {picture && <Box component="img" src={picture} alt={String(record.filename)} sx={{ maxWidth: "100%", maxHeight: 320 }} />}
      <Button size="small" variant="outlined" onClick={() => void download()}>{translate("studio.transfer.download")}</Button>
    </Stack>
  );
}
