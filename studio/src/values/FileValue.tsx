/** The file of a record: a picture is shown, any other is saved. */
import { Box, Button } from "@mui/material";
import { useNotify, useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";
import { nameOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { bytesAt, pathOf, save, usePicture } from "./files";

interface Props {
  model: Model;
  field: Field;
  id: string;
  brief?: boolean | undefined;
}

export function FileValue(props: Props) {
  return props.field.type === "image" ? <Picture {...props} /> : <Saved {...props} />;
}

function Picture({ model, field, id, brief }: Props) {
  const translate = useTranslate();
  const sizes = field.constraints?.sizes ?? [];
  const address = usePicture(pathOf(model, field, id, brief ? sizes[0] : sizes.at(-1)));
  const label = translate(`resources.${nameOf(model)}.fields.${field.name}`);
  const bounds = brief ? { height: 32, maxWidth: 64 } : { maxWidth: "100%", maxHeight: 320 };
  if (!address) return <Box component="span" aria-hidden sx={{ display: "inline-block", ...(brief ? { height: 32, width: 32 } : {}) }} />;
  return <Box component="img" src={address} alt={label} sx={{ ...bounds, objectFit: "cover", borderRadius: 0.5, verticalAlign: "middle" }} />;
}

function Saved({ model, field, id }: Props) {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const take = () =>
    bytesAt(pathOf(model, field, id)).then(
      (blob) => save(blob, field.name.replace(/Id$/, "")),
      (error: unknown) => notify(sentence(error), { type: "error" }),
    );
  return (
    <Button size="small" variant="outlined" onClick={(event) => (event.stopPropagation(), void take())}>{translate("studio.transfer.download")}</Button>
  );
}
