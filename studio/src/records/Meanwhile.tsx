/** Says that the record of the form around it was changed elsewhere. Where nothing is entered yet, the form shows the change. */
import type { Heard } from "@rowgate/client/react-admin";
import { Alert, Button } from "@mui/material";
import { useRef, useState } from "react";
import { useTranslate } from "react-admin";
import { useFormContext } from "react-hook-form";

import { nameOf } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import { useActorNames } from "../changes/log";
import { useHeard } from "../live/heard";
import type { Row } from "./values";

interface Props {
  model: Model;
  record: Row;
  /** Put what is entered beside what is stored. */
  onCompare: (entered: Row) => void;
  /** Read the record anew, and show it unless something was entered by then. */
  onRenew: (isUntouched: () => boolean) => void;
}

export function Meanwhile({ model, record, onCompare, onRenew }: Props) {
  const { formState: { isDirty, isSubmitting }, getValues } = useFormContext();
  const [heard, setHeard] = useState<Heard>();
  const isTouched = useRef(isDirty);
  isTouched.current = isDirty;
  useHeard(nameOf(model), (changes) => {
    const change = changes.findLast(({ recordId }) => recordId === record.id);
    if (!change || isSubmitting) return;
    if (isDirty || change.operation === "delete") setHeard(change);
    else onRenew(() => !isTouched.current);
  });
  return heard ? <Notice heard={heard} onCompare={() => onCompare({ ...record, ...getValues() })} /> : null;
}

function Notice({ heard: { actor, operation }, onCompare }: { heard: Heard; onCompare: () => void }) {
  const translate = useTranslate();
  const nameOfActor = useActorNames();
  const isGone = operation === "delete" || !actor;
  return (
    <Alert severity="warning" sx={{ width: "100%", mb: 2 }} action={<Button color="inherit" onClick={onCompare}>{translate("studio.live.compare")}</Button>}>
      {isGone ? translate("studio.live.meanwhile_gone") : translate("studio.live.meanwhile", { name: nameOfActor(actor) })}
    </Alert>
  );
}
