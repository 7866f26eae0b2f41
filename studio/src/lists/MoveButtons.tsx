/** Moves a record up or down where a list is in the order that people give it. */
import type { Row } from "@rowgate/client/react-admin";
import { useNotify, useTranslate, useUpdate } from "react-admin";

import { useSentence } from "../api/sentences";
import { nameOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";
import { useWrites } from "../changes/undo";

/** What stands beside a record, and whether the list is in the order of its field or the other way round. */
export interface Between {
  isDescending: boolean;
  above: string | undefined;
  below: string | undefined;
}

interface Props {
  model: Model;
  field: Field;
  record: Row;
  name: string;
  between: Between;
}

/** The field by whose positions a list is ordered, where it is ordered by one. */
export function orderedBy(model: Model, [first]: readonly string[]): { field: string; isDescending: boolean } | undefined {
  const name = first?.replace(/^-/, "");
  const field = model.fields.find((each) => each.name === name && each.type === "position");
  return field && { field: field.name, isDescending: first!.startsWith("-") };
}

/** What a field is set to so that its record stands beside another, above or below it as the list shows them. */
export const placed = (neighbor: string, isAbove: boolean, isDescending: boolean) => `${isAbove === isDescending ? "after" : "before"}:${neighbor}`;

export function MoveButtons({ model, field, record, name, between: { above, below, isDescending } }: Props) {
  const translate = useTranslate();
  const notify = useNotify();
  const sentence = useSentence();
  const [update, { isPending }] = useUpdate();
  const { meta, tell } = useWrites(model.undoable);
  const move = async (neighbor: string, isAbove: boolean) => {
    try {
      await update(
        nameOf(model), { id: record.id, data: { [field.name]: placed(neighbor, isAbove, isDescending) }, previousData: record, meta },
        { mutationMode: "pessimistic", returnPromise: true },
      );
      tell("studio.list.moved", { record: name });
    } catch (error) {
      notify(sentence(error), { type: "error" });
    }
  };
  return (
    <>
      {([["move_up", above, true, "M8 3l5 5H9v5H7V8H3z"], ["move_down", below, false, "M8 13l5-5H9V3H7v5H3z"]] as const).map(([key, neighbor, isAbove, path]) => (
        <button
          key={key} type="button" className="edit" disabled={neighbor === undefined} aria-disabled={isPending} onClick={() => isPending || void move(neighbor!, isAbove)}
          aria-label={translate(`studio.list.${key}`, { record: name })}
        >
          <svg viewBox="0 0 16 16" aria-hidden><path d={path} /></svg>
        </button>
      ))}
    </>
  );
}
