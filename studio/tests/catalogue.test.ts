/** What the studio makes of the catalogue, for every model: columns, names, relations, moves. */
import { describe, expect, it } from "vitest";

import { columnsOf, fieldOf, labelOf, movesFrom, nameOf, settableOf, typeOf, usualColumns, valuesOf } from "../src/catalogue/catalogue";
import { FIELDS, MODELS, catalogue, modelOf } from "./service";

const KNOWN_TYPES = ["string", "text", "integer", "number", "boolean", "timestamp", "uuid", "json", "vector", "array<string>", "enum"];

describe("columns", () => {
  it.each(MODELS)("$name shows what a list answers, its name first and when it was made last", ({ model }) => {
    const usual = usualColumns(model);
    const listed = model.fields.filter(({ readable, listed, returnedOnce }) => readable && listed && !returnedOnce).map(({ name }) => name);
    expect(columnsOf(model).map(({ name }) => name)).toEqual(listed);
    expect(listed).toEqual(expect.arrayContaining([...usual]));
    expect(new Set(usual).size).toBe(usual.length);
    expect(usual.length).toBeLessThanOrEqual(8);
    expect(usual.at(-1)).toBe("createdAt");
    const naming = (model.label ?? []).filter((name) => listed.includes(name) && fieldOf(model, name)?.type !== "text");
    expect(usual.slice(0, naming.length).sort()).toEqual([...naming].sort());
    expect(usual.filter((name) => ["json", "text", "vector"].includes(fieldOf(model, name)!.type))).toEqual([]);
  });

  it("put what tells of a record before the rest", () => {
    expect(usualColumns(modelOf("crm/deal")).slice(0, 4)).toEqual(["name", "stage", "amount", "priority"]);
  });
});

describe("names of records", () => {
  it.each(MODELS.filter(({ model }) => model.label))("$name is called by what names it", ({ model }) => {
    const record = Object.fromEntries(model.label!.map((name, place) => [name, `part ${place}`]));
    expect(labelOf(model, record)).toBe(model.label!.map((_, place) => `part ${place}`).join(" "));
    expect(labelOf(model, { ...record, [model.label![0]!]: " " }) ?? "").not.toContain("part 0");
  });

  it.each(MODELS)("a record of $name that holds nothing has none", ({ model }) => expect(labelOf(model, { id: "1" })).toBeUndefined());
});

describe("relations", () => {
  it.each(MODELS)("those of $name are between models that are there", ({ model }) => {
    for (const field of model.fields) {
      const relation = catalogue.relationOf(model, field);
      if (relation) expect(relation.model).toBe(field.references?.model);
    }
    for (const { target, reference } of catalogue.related(model)) expect(fieldOf(target, reference)?.references?.model).toBe(nameOf(model));
  });

  it("lead both ways", () => {
    const deal = modelOf("crm/deal");
    expect(catalogue.relationOf(deal, fieldOf(deal, "companyId")!)?.name).toBe("company");
    expect(catalogue.related(modelOf("crm/company")).map(({ target }) => nameOf(target))).toEqual(expect.arrayContaining(["crm/contact", "crm/deal"]));
  });
});

describe("what fields hold", () => {
  it.each(FIELDS)("$name is of a type that the studio shows and enters", ({ field }) => expect(KNOWN_TYPES).toContain(typeOf(field)));

  it("is one of several values", () => {
    expect(valuesOf({ name: "stage", type: "enum[lead,won]", settable: [] })).toEqual(["lead", "won"]);
    expect(valuesOf({ name: "stage", type: "string", settable: [] })).toEqual([]);
  });
});

describe("moves of states", () => {
  const STATES = MODELS.flatMap(({ name, model }) => Object.keys(model.transitions ?? {}).map((state) => ({ name: `${name}.${state}`, model, field: fieldOf(model, state)! })));

  it.each(STATES)("$name stays, or goes where the model says", ({ model, field }) => {
    const values = valuesOf(field);
    for (const value of values) {
      const moves = movesFrom(model, field, value);
      expect(moves).toEqual([value, ...(model.transitions![field.name]![value] ?? [])]);
      expect(values).toEqual(expect.arrayContaining([...moves]));
    }
    expect(movesFrom(model, field, undefined)).toEqual(values);
  });

  it("those of a deal that is won lead back to its negotiation alone", () => {
    const deal = modelOf("crm/deal");
    expect(movesFrom(deal, fieldOf(deal, "stage")!, "won")).toEqual(["won", "negotiation"]);
  });
});

it.each(MODELS)("the form of $name has what may be set", ({ model }) => {
  for (const on of ["create", "update"] as const) {
    expect(settableOf(model, on)).toEqual(model.fields.filter(({ settable }) => settable.includes(on)).map(({ name }) => name));
    if (settableOf(model, on).length > 0 && on === "update") expect(model.operations.update).toBe(true);
  }
});
