/** How the page of a record is laid out: what matters first, then what belongs together, and last whose it is. */
import { typeOf } from "../catalogue/catalogue";
import type { Field, Model } from "../catalogue/types";

export interface Group {
  /** The heading; none above what has no place of its own. */
  title: string | undefined;
  fields: readonly Field[];
}

/** Fields that stand at the top of a page where its model says nothing. */
const MOST = 4;

const about = (model: Model) => ["id", "createdById", model.scope.column];

/** The fields of a page, of which only what somebody may read is there. */
const shownOf = (model: Model) => model.fields.filter(({ readable, returnedOnce, name }) => readable && !returnedOnce && name !== "createdAt" && name !== "updatedAt");

/** What stands at the top: what the model says, or its states, amounts and dates. */
export function headlineOf(model: Model): readonly Field[] {
  const shown = shownOf(model);
  if (model.headline) return model.headline.flatMap((name) => shown.find((field) => field.name === name) ?? []);
  const isTelling = (field: Field) => typeOf(field) === "enum" || field.display === "money" || field.type === "money" || field.type === "date" || (field.type === "timestamp" && field.settable.length > 0);
  return shown.filter((field) => isTelling(field) && !about(model).includes(field.name) && !model.label?.includes(field.name)).slice(0, MOST);
}

/** What stands beneath, each field once. */
export function groupsOf(model: Model): readonly Group[] {
  const top = headlineOf(model).map(({ name }) => name);
  const rest = shownOf(model).filter(({ name }) => !top.includes(name));
  const placed = (model.sections ?? []).map(({ title, fields }) => ({ title, fields: fields.flatMap((name) => rest.find((field) => field.name === name) ?? []) }));
  const taken = new Set(placed.flatMap(({ fields }) => fields.map(({ name }) => name)));
  const left = rest.filter(({ name }) => !taken.has(name));
  const [own, last] = [left.filter(({ name }) => !about(model).includes(name)), left.filter(({ name }) => about(model).includes(name))];
  return [...placed, { title: undefined, fields: own }, { title: "about", fields: last }].filter(({ fields }) => fields.length > 0);
}
