/** What the service says of itself, in the file that `tests/studio/test_modules.py` writes and names in `ROWGATE_SAID`. */
import { readFileSync } from "node:fs";

import { Catalogue, isSettable, nameOf } from "../src/catalogue/catalogue";
import type { CatalogueAnswer, Field, Model } from "../src/catalogue/types";

interface Said {
  /** `GET /api/v1/_catalogue`, as an admin has it. */
  catalogue: CatalogueAnswer;
  /** The sentences by which records are refused, with `{}` for what is filled in. */
  refusals: readonly string[];
}

const file = process.env.ROWGATE_SAID;
if (!file) throw new Error("ROWGATE_SAID names no file: pytest tests/studio/test_modules.py runs these tests with one");

export const { catalogue: answer, refusals } = JSON.parse(readFileSync(file, "utf8")) as Said;
export const catalogue = new Catalogue(answer);

/** Every model of the service, with its name: a table of tests. */
export const MODELS = [...catalogue.models].map(([name, model]) => ({ name, model }));

export interface Named {
  name: string;
  model: Model;
  field: Field;
}

/** Every field of every model, with its name. */
export const FIELDS: readonly Named[] = MODELS.flatMap(({ model }) => model.fields.map((field) => ({ name: `${nameOf(model)}.${field.name}`, model, field })));
export const SETTABLE = FIELDS.filter(({ field }) => isSettable(field, "create") || isSettable(field, "update"));

export function modelOf(name: string): Model {
  const model = catalogue.get(name);
  if (!model) throw new Error(`There is no model ${name}`);
  return model;
}

export function fieldNamed(name: string): Named {
  const found = FIELDS.find((each) => each.name === name);
  if (!found) throw new Error(`There is no field ${name}`);
  return found;
}

/** Of many, the first of each that differ in what `of` tells. */
export function distinct<T>(many: readonly T[], of: (each: T) => unknown): readonly T[] {
  return [...new Map([...many].reverse().map((each) => [JSON.stringify(of(each)), each])).values()].reverse();
}
