/** Lists that are worked in as spreadsheets: where keys lead, and what a block of text changes. */
import { describe, expect, it } from "vitest";

import { Refusal } from "../src/api/sentences";
import { fieldOf } from "../src/catalogue/catalogue";
import { type Range, boundsOf, changesOf, filledDown, moved, textOf } from "../src/lists/grid";
import { modelOf } from "./service";

const deal = modelOf("crm/deal");
const fields = ["name", "stage", "amount", "probability", "expectedCloseAt"].map((name) => fieldOf(deal, name)!);
const words = { field: (name: string) => `the ${name}`, value: (_: string, value: string) => ({ won: "Gewonnen" })[value] ?? value };
const at = (row: number, column: number, toRow = row, toColumn = column): Range => ({ anchor: { row, column }, head: { row: toRow, column: toColumn } });
const size = { rows: 100, columns: 5, page: 30 };

describe("a key", () => {
  it.each<[string, string, boolean, readonly [number, number]]>([
    ["up", "ArrowUp", false, [9, 2]], ["down", "ArrowDown", false, [11, 2]], ["left", "ArrowLeft", false, [10, 1]], ["right", "ArrowRight", false, [10, 3]],
    ["to the top", "ArrowUp", true, [0, 2]], ["to the bottom", "ArrowDown", true, [99, 2]], ["to the beginning of a row", "Home", false, [10, 0]], ["to the very end", "End", true, [99, 4]],
    ["a page down", "PageDown", false, [40, 2]], ["a page up, and not beyond the first row", "PageUp", false, [0, 2]],
  ])("leads %s", (_, key, isFar, [row, column]) => {
    expect(moved(at(10, 2), key, false, isFar, size)).toEqual(at(row, column));
    expect(moved(at(10, 2), key, true, isFar, size)).toEqual(at(10, 2, row, column));
  });

  it("leads nowhere beyond the edges, and no other key leads anywhere", () => {
    expect([moved(at(0, 0), "ArrowUp", false, false, size), moved(at(99, 4), "ArrowRight", false, false, size)]).toEqual([at(0, 0), at(99, 4)]);
    expect(moved(at(1, 1), "a", false, false, size)).toBeUndefined();
  });

  it("chooses the same cells in whichever direction", () => expect(boundsOf(at(4, 3, 2, 1))).toEqual({ top: 2, bottom: 4, left: 1, right: 3 }));
});

describe("a block of text", () => {
  const pasted = (range: Range, block: readonly (readonly string[])[], locale = "en", count = 10) => Object.fromEntries(changesOf(deal, fields, count, range, block, locale, words));

  it("is put over cells from the upper left one on, as what the fields hold", () => {
    expect(pasted(at(2, 0), [["Crane", "Gewonnen", "1.250,50", "40", "31.12.2026"], ["Hook", "lead", "7,00", "", "1.2.2026"]], "de")).toEqual({
      2: { name: "Crane", stage: "won", amount: 125050, probability: 40, expectedCloseAt: new Date(2026, 11, 31).toISOString() },
      3: { name: "Hook", stage: "lead", amount: 700, probability: null, expectedCloseAt: new Date(2026, 1, 1).toISOString() },
    });
  });

  it("of one cell fills all that are chosen", () => expect(pasted(at(1, 2, 3, 2), [["12.50"]])).toEqual({ 1: { amount: 1250 }, 2: { amount: 1250 }, 3: { amount: 1250 } }));

  it("that means nothing stays, for the service to refuse", () => expect(pasted(at(0, 1), [["perhaps", "much", "some"]])).toEqual({ 0: { stage: "perhaps", amount: "much", probability: "some" } }));

  const refused = (work: () => unknown) => {
    try {
      return work();
    } catch (error) {
      return error instanceof Refusal ? [error.key, error.words] : error;
    }
  };

  it("is refused whole where it reaches over the list, or into what cannot be changed", () => {
    expect(refused(() => pasted(at(9, 0), [["a"], ["b"]]))).toEqual(["studio.grid.too_large", { rows: 2, columns: 1 }]);
    expect(refused(() => pasted(at(0, 4), [["a", "b"]]))).toEqual(["studio.grid.too_large", { rows: 1, columns: 2 }]);
    const stamped = [...fields, fieldOf(deal, "createdAt")!];
    expect(refused(() => changesOf(deal, stamped, 1, at(0, 5), [["2026-01-01"]], "en", words))).toEqual(["studio.grid.fixed", { field: "the createdAt" }]);
    expect(refused(() => pasted(at(0, 0), Array.from({ length: 1001 }, () => ["a"]), "en", 2000))).toEqual(["studio.grid.too_many", { smart_count: 1000 }]);
  });

  it.each([[1250, "amount"], [null, "amount"], ["won", "stage"], ["Crane\n2", "name"]])("takes back what was copied: %j of %s", (value, name) => {
    const place = fields.findIndex((field) => field.name === name);
    expect(pasted(at(0, place), [[textOf(fields[place]!, value)]])).toEqual({ 0: { [name]: value } });
  });
});

describe("filling down", () => {
  const rows = [{ id: "a", name: "Crane", amount: 1 }, { id: "b", name: "Hook", amount: 2 }, { id: "c", name: "Rope" }] as never[];

  it("gives the rows below what the first one has", () => {
    expect(Object.fromEntries(filledDown(deal, fields, rows, at(2, 0, 0, 2), words))).toEqual({ 1: { name: "Crane", stage: null, amount: 1 }, 2: { name: "Crane", stage: null, amount: 1 } });
    expect(filledDown(deal, fields, rows, at(1, 0), words).size).toBe(0);
  });
});
