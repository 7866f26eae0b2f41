/** JSON as it is typed. */
import { describe, expect, it } from "vitest";

import { Malformed, jsonFault, parsed, written } from "../src/inputs/json";

describe("what is typed", () => {
  it.each([["", null], [" ", null], ['{"a": [1]}', { a: [1] }], ["null", null], ['"text"', "text"]])("%j is read", (text, value) => expect(parsed(text)).toEqual(value));

  it("is said to be none, with the reason", () => {
    const broken = parsed("{broken");
    expect(broken).toBeInstanceOf(Malformed);
    expect((broken as Malformed).message).toMatch(/JSON/);
    expect(jsonFault(broken, undefined)).toBe("studio.input.json_invalid");
  });

  it("may be of any shape where the service asks for none", () => expect([{}, [], 1, "a", null].map((value) => jsonFault(value, undefined))).toEqual([undefined, undefined, undefined, undefined, undefined]));
});

it("is shown with its structure, and as nothing where there is nothing", () => {
  expect([written({ a: 1 }), written(null), written(undefined), written(""), written(0)]).toEqual(['{\n  "a": 1\n}', "", "", "", "0"]);
});
