/** What is said while somebody types, for every bound that the service publishes: what is within is taken, what is beyond is not. */
import { describe, expect, it } from "vitest";

import { typeOf } from "../src/catalogue/catalogue";
import type { Constraints, Field } from "../src/catalogue/types";
import { jsonFault } from "../src/inputs/json";
import { validatorOf } from "../src/inputs/validation";
import { type Named, SETTABLE, fieldNamed } from "./service";

const told = (key: string) => key;
const check = (field: Field, isRequired = false) => validatorOf(field, isRequired, told);

/** The settable fields that have a bound, with that bound. */
const bounded = <K extends keyof Constraints>(bound: K, type?: string): (Named & { most: NonNullable<Constraints[K]> })[] =>
  SETTABLE.flatMap((each) => {
    const most = each.field.constraints?.[bound];
    return most === undefined || (type !== undefined && each.field.type !== type) ? [] : [{ ...each, most }];
  });

/** A text of a length that meets the other bounds of a field, where any does. */
function textOf(field: Field, length: number): string {
  const { format } = field.constraints ?? {};
  if (format === "email") return `a@${"b".repeat(Math.max(1, length - 5))}.de`;
  return format === "url" ? `https://a.de/${"b".repeat(Math.max(0, length - 13))}` : "A".repeat(length);
}

describe("bounds", () => {
  it.each(bounded("maxLength"))("$name takes $most characters, and no more", ({ field, most }) => {
    expect(check(field)(textOf(field, most + 1))).toBe("ra.validation.maxLength");
    if (!field.constraints?.pattern) expect(check(field)(textOf(field, most))).toBeUndefined();
  });

  it.each(bounded("minLength"))("$name takes no less than $most characters", ({ field, most }) => {
    if (most > 1) expect(check(field)("A".repeat(most - 1))).toBe("ra.validation.minLength");
    expect(check(field)("A".repeat(most))).not.toBe("ra.validation.minLength");
  });

  it.each(bounded("minimum"))("$name begins at $most", ({ field, most }) => {
    expect([check(field)(Number(most) - 1), check(field)(Number(most))]).toEqual(["ra.validation.minValue", undefined]);
  });

  it.each(bounded("maximum").filter(({ most }) => Number(most) < Number.MAX_SAFE_INTEGER))("$name ends at $most", ({ field, most }) => {
    expect([check(field)(Number(most) + 1), check(field)(Number(most))]).toEqual(["ra.validation.maxValue", undefined]);
  });

  it.each(bounded("maxItems"))("$name takes $most items, and no more", ({ field, most }) => {
    const many = (count: number) => Array.from({ length: count }, (_, place) => String(place));
    expect([check(field)(many(most + 1)), check(field)(many(most))]).toEqual(["ra.validation.maxLength", undefined]);
  });

  it.each(bounded("minItems"))("$name takes no less than $most items", ({ field, most }) => {
    expect(check(field)(Array.from({ length: most - 1 }, String))).toBe("ra.validation.minLength");
  });

  it.each(bounded("format"))("$name has to be what it is called: $most", ({ field, most }) => {
    const wrong = { email: ["nobody", "a@b", "a b@c.de"], url: ["nowhere", "javascript:alert(1)", "ftp://a.de"], uuid: [] }[most];
    const right = { email: "ada@byron.example", url: "https://harbour.example/a?b=c", uuid: "" }[most];
    expect(wrong.map((each) => check(field)(each))).toEqual(wrong.map(() => `studio.input.${most}`));
    expect(check(field)(right)).toBeUndefined();
  });

  it.each(bounded("pattern"))("$name has the form that the service asks for", ({ field }) => expect(check(field)("-?-")).toBeDefined());

  it("count characters as people do", () => {
    const { field } = fieldNamed("crm/company.name");
    const most = field.constraints!.maxLength!;
    expect([check(field)("🏗".repeat(most)), check(field)("🏗".repeat(most + 1))]).toEqual([undefined, "ra.validation.maxLength"]);
  });
});

describe("what is missing", () => {
  it.each(SETTABLE.filter(({ field }) => field.type !== "text"))("$name may be left empty unless it is required", ({ field }) => {
    for (const nothing of [undefined, null, ""]) {
      expect([check(field, true)(nothing), check(field)(nothing)]).toEqual(["ra.validation.required", undefined]);
    }
  });

  it("is not an empty text where the service takes one", () => {
    const field: Field = { name: "content", type: "text", settable: ["create"] };
    expect([check(field, true)(""), check(field, true)(null), check({ ...field, constraints: { minLength: 1 } }, true)("")]).toEqual([undefined, "ra.validation.required", "ra.validation.required"]);
  });
});

describe("numbers", () => {
  it.each(SETTABLE.filter(({ field }) => ["integer", "number"].includes(field.type)))("$name is no text", ({ field }) => expect(check(field)(NaN)).toBe("ra.validation.number"));
});

describe("JSON", () => {
  it.each(SETTABLE.filter(({ field }) => typeOf(field) === "json" && field.constraints?.shape))("$name has its shape", ({ field }) => {
    const shape = field.constraints!.shape!;
    const [right, wrong] = shape === "array" ? [[], {}] : [{}, []];
    expect([jsonFault(right, shape), jsonFault(wrong, shape), jsonFault("text", shape), jsonFault(null, shape)]).toEqual([undefined, `studio.input.json_${shape}`, `studio.input.json_${shape}`, undefined]);
  });
});
