/** Keeps what is entered in the form around it, and offers what was kept before. */
import { Alert, Button } from "@mui/material";
import { useEffect, useRef, useState } from "react";
import { useLocale, useTranslate } from "react-admin";
import { useFormContext } from "react-hook-form";

import type { Model } from "../catalogue/types";
import { moment } from "../values/formats";
import { type Draft, dropDraft, keepDraft, readDraft } from "./drafts";

/** Milliseconds after the last key. */
const PAUSE = 400;

export function DraftKeeper({ id, model }: { id: string; model: Model }) {
  const translate = useTranslate();
  const locale = useLocale();
  const { watch, setValue, formState, getValues } = useFormContext();
  const [offered, setOffered] = useState<Draft | undefined>(() => readDraft(id));
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const { isDirty, dirtyFields } = formState;
  const changed = useRef(dirtyFields);
  changed.current = dirtyFields;

  useEffect(() => {
    const secret = new Set(model.fields.filter(({ readable, display }) => !readable || display === "file").map(({ name }) => name));
    const following = watch(() => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => {
        const names = Object.keys(changed.current).filter((name) => !secret.has(name));
        if (names.length > 0) keepDraft(id, Object.fromEntries(names.map((name) => [name, getValues(name) as unknown])));
      }, PAUSE);
    });
    return () => (clearTimeout(timer.current), following.unsubscribe());
  }, [getValues, id, model, watch]);

  if (!offered || isDirty) return null;
  const restore = () => {
    for (const [name, value] of Object.entries(offered.values)) setValue(name, value, { shouldDirty: true, shouldTouch: true, shouldValidate: true });
    setOffered(undefined);
  };
  const discard = () => (dropDraft(id), setOffered(undefined));
  return (
    <Alert
      severity="info" sx={{ width: "100%", mb: 2 }}
      action={<><Button color="inherit" onClick={restore}>{translate("studio.record.restore")}</Button><Button color="inherit" onClick={discard}>{translate("studio.record.discard")}</Button></>}
    >
      {translate("studio.record.draft", { when: moment(offered.at, locale) })}
    </Alert>
  );
}
