/** Says that the record of the form around it was changed elsewhere. Where nothing is entered yet, the form shows the change. */
import { type Heard, VERSION } from "@rowgate/client/react-admin";
import { Alert, Button } from "@mui/material";
import { useRef, useState } from "react";
import { useTranslate } from "react-admin";
import { useFormContext } from "react-hook-form";

import { nameOf } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import { useActorNames } from "../changes/log";
import { useNews } from "../live/heard";
import { storedNow } from "./conflict";
import type { Row } from "./values";

interface Props {
  model: Model;
  record: Row;
  /** Put what is entered beside what is stored. */
  onCompare: (entered: Row) => void;
  /** Show the record as it is stored by now. */
  onShow: (stored: Row) => void;
}

export function Meanwhile({ model, record, onCompare, onShow }: Props) {
  const resource = nameOf(model);
  const { formState: { isDirty, isSubmitting }, getValues } = useFormContext();
  const [heard, setHeard] = useState<Partial<Heard>>();
  const isTouched = useRef(isDirty);
  isTouched.current = isDirty;
  const look = async (change: Partial<Heard> = {}) => {
    if (isSubmitting) return;
    // Where it cannot be read now, a save meets what has changed.
    const stored = await storedNow(resource, record.id).catch(() => record);
    if (stored && Number(stored[VERSION]) <= Number(record[VERSION])) return;
    if (stored && !isTouched.current) onShow(stored);
    else setHeard(change);
  };
  useNews(({ models, changes }) => {
    const change = changes.findLast(({ model: name, recordId }) => name === resource && recordId === record.id);
    // Which records have changed is not always known.
    const isUnknown = models === null || (models.includes(resource) && !changes.some(({ model: name }) => name === resource));
    if (change || isUnknown) void look(change);
  }, () => void look());
  return heard ? <Notice heard={heard} onCompare={() => onCompare({ ...record, ...getValues() })} /> : null;
}

function Notice({ heard: { actor, operation }, onCompare }: { heard: Partial<Heard>; onCompare: () => void }) {
  const translate = useTranslate();
  const nameOfActor = useActorNames();
  return (
    <Alert severity="warning" sx={{ width: "100%", mb: 2 }} action={<Button color="inherit" onClick={onCompare}>{translate("studio.live.compare")}</Button>}>
      {operation === "delete" ? translate("studio.live.meanwhile_gone") : translate("studio.live.meanwhile", { name: nameOfActor(actor ?? { type: "user", id: null }) })}
    </Alert>
  );
}
