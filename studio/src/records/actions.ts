/** What is done with whole records: they are deleted. */
import { useNotify, useRedirect, useDelete, useTranslate } from "react-admin";
import { useLocation } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { labelOf, nameOf, shortId } from "../catalogue/catalogue";
import type { Model } from "../catalogue/types";
import type { Row } from "./values";

/** Milliseconds in which a deletion can be taken back. */
const UNDO = 6000;

/** Delete a record, a few seconds from now: until then it can be taken back. */
export function useDeletion(model: Model): (record: Row) => void {
  const resource = nameOf(model);
  const [remove] = useDelete();
  const notify = useNotify();
  const redirect = useRedirect();
  const translate = useTranslate();
  const sentence = useSentence();
  const { pathname } = useLocation();
  return (record) => {
    const label = labelOf(model, record) ?? `${translate(`resources.${resource}.name`, { smart_count: 1 })} ${shortId(record.id)}`;
    void remove(
      resource,
      { id: record.id, previousData: record },
      {
        mutationMode: "undoable",
        onSuccess: () => {
          notify("studio.record.deleted", { type: "info", undoable: true, autoHideDuration: UNDO, messageArgs: { record: label } });
          if (pathname.includes(record.id)) redirect(model.operations.list ? `/${resource}` : "/");
        },
        onError: (error: unknown) => notify(sentence(error), { type: "error" }),
      },
    );
  };
}
