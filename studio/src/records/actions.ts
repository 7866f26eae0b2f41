/** What is done with whole records: they are deleted. */
import { useNotify, useRedirect, useDelete, useTranslate } from "react-admin";
import { useLocation } from "react-router-dom";

import { useSentence } from "../api/sentences";
import { labelOf, nameOf, shortId } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import type { Model } from "../catalogue/types";
import { useWrites } from "../changes/undo";
import type { Row } from "./values";

/** Milliseconds in which a deletion can be taken back that nothing is kept of. */
const UNDO = 6000;

/** Delete a record, which can be taken back: by the log of changes, and where nothing is kept in it, for a few seconds. */
export function useDeletion(model: Model): (record: Row) => void {
  const resource = nameOf(model);
  const [remove] = useDelete();
  const notify = useNotify();
  const redirect = useRedirect();
  const translate = useTranslate();
  const sentence = useSentence();
  const { pathname } = useLocation();
  const { changesDays } = useCatalogue();
  const { meta, tell } = useWrites();
  const isKept = changesDays > 0 && Boolean(model.restorable);
  return (record) => {
    const label = labelOf(model, record) ?? `${translate(`resources.${resource}.name`, { smart_count: 1 })} ${shortId(record.id)}`;
    void remove(
      resource,
      { id: record.id, previousData: record, meta },
      {
        mutationMode: isKept ? "pessimistic" : "undoable",
        onSuccess: () => {
          if (isKept) tell("studio.record.deleted", { record: label }, "info");
          else notify("studio.record.deleted", { type: "info", undoable: true, autoHideDuration: UNDO, messageArgs: { record: label } });
          if (pathname.includes(record.id)) redirect(model.operations.list ? `/${resource}` : "/");
        },
        onError: (error: unknown) => notify(sentence(error), { type: "error" }),
      },
    );
  };
}
