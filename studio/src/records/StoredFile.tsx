/** A stored file: opened by its bytes, which the service gives to whoever may read the record. */
import { Box, Button, Stack } from "@mui/material";
import { useEffect, useState } from "react";
import { useNotify, useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { RowgateError } from "@rowgate/client/react-admin";
import { send } from "../session/transport";

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Bytes up to which a picture is shown at once. */
const SHOWN = 2 * 1024 * 1024;

type Row = Record<string, unknown>;

async function content(record: Row): Promise<Blob> {
  const response = await send(new Request(new URL(String(record.url), location.href)));
  if (!response.ok) throw await RowgateError.of(response);
  return response.blob();
}

export function StoredFile({ record }: { record: Row }) {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const [picture, setPicture] = useState<string>();
  const isPicture = PICTURES.includes(String(record.contentType)) && Number(record.size) <= SHOWN && record.status === "stored";
  useEffect(() => {
    if (!isPicture) return undefined;
    let address: string | undefined;
    let isGone = false;
    content(record).then((blob) => !isGone && setPicture((address = URL.createObjectURL(blob))), () => undefined);
    return () => {
      isGone = true;
      if (address) URL.revokeObjectURL(address);
    };
  }, [isPicture, record]);
  const download = () =>
    content(record).then(
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

/** Let the browser save bytes under a name; they are never opened as a page. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
