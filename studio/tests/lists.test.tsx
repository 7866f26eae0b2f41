// @vitest-environment happy-dom
/** Lists by themselves: conditions, what the address holds, what is kept of a look, whose records are shown. */
import { act, cleanup, fireEvent, renderHook, screen, waitFor } from "@testing-library/react";
import { type ReactNode } from "react";
import { MemoryRouter, useLocation } from "react-router-dom";
import { beforeEach, describe, expect, it, vi } from "vitest";

import { columnsOf, fieldOf, nameOf } from "../src/catalogue/catalogue";
import type { Field } from "../src/catalogue/types";
import { exportAddress } from "../src/lists/ExportDialog";
import { orderedBy, placed } from "../src/lists/MoveButtons";
import { RecordRow } from "../src/lists/RecordRow";
import { type Condition, isCondition, operatorKey, operatorsOf, takesMany, whereOf } from "../src/lists/conditions";
import { conditionOf, groupable, inOrder } from "../src/lists/grouping";
import { belonging, wanted } from "../src/lists/rows";
import { type ListState, read, restarted, useAddress, usualLook, written } from "../src/lists/state";
import { belongsTo } from "../src/organizations/scope";
import { FIELDS, MODELS, catalogue, fieldNamed, modelOf } from "./service";
import { shown } from "./studio";

const FILTERABLE = FIELDS.filter(({ field }) => field.filterable && field.readable);
const ME = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11";

beforeEach(() => localStorage.clear());

describe("operators", () => {
  it.each(FILTERABLE)("$name is compared as the service can, one way at least", ({ field }) => {
    const operators = operatorsOf(field);
    expect(operators.length).toBeGreaterThan(0);
    expect(field.operators).toEqual(expect.arrayContaining([...operators]));
    expect(operators.includes("isNull")).toBe(Boolean(field.nullable));
  });

  it.each([
    ["crm/deal.amount", ["gte", "lte", "eq"]], ["crm/deal.stage", ["in", "nin"]], ["crm/deal.companyId", ["eq", "ne"]], ["crm/deal.name", ["contains", "startsWith", "endsWith"]],
    ["crm/deal.createdAt", ["gte", "lt", "gt"]],
  ])("%s offers the usual ones first", (name, first) => expect(operatorsOf(fieldNamed(name).field).slice(0, first.length)).toEqual(first));

  it("take one value or many", () => expect((["in", "nin", "hasAny", "hasAll", "eq", "has"] as const).map(takesMany)).toEqual([true, true, true, true, false, false]));

  it("are told of moments by time", () => {
    const keys = (name: string) => operatorsOf(fieldNamed(name).field).slice(0, 2).map((operator) => operatorKey(fieldNamed(name).field, operator));
    expect([keys("crm/deal.createdAt"), keys("crm/deal.amount")]).toEqual([["studio.operators.since", "studio.operators.before"], ["studio.operators.gte", "studio.operators.lte"]]);
    expect(operatorKey(fieldNamed("crm/deal.expectedCloseAt").field, "isNull", false)).toBe("studio.operators.notNull");
  });
});

describe("conditions", () => {
  it.each(FILTERABLE)("on $name are known as such, and as what the service asks for", ({ model, field }) => {
    for (const operator of operatorsOf(field)) {
      const condition = [field.name, operator, null] as const;
      expect(isCondition(model, condition)).toBe(true);
      expect(whereOf([condition])).toEqual({ and: [{ [field.name]: { [operator]: null } }] });
    }
  });

  it.each([[null], ["name"], [["name", "eq"]], [["name", "like", "a"]], [["nothing", "eq", "a"]], [["name", "eq", "a", "b"]]])("%j is none", (given) => expect(isCondition(modelOf("crm/deal"), given)).toBe(false));
  it("are no condition where there are none", () => expect(whereOf([])).toBeUndefined());
});

/** A state of the model in which everything is unlike the usual. */
function changedState(model: (typeof MODELS)[number]["model"]): ListState {
  const columns = columnsOf(model).map(({ name }) => name).reverse().slice(0, 3);
  const asked = model.fields.find((field) => operatorsOf(field).length > 0);
  const conditions: Condition[] = asked ? [[asked.name, operatorsOf(asked)[0]!, "a,b&c=d"]] : [];
  const sort = model.fields.filter(({ sortable }) => sortable).slice(0, 2).map(({ name }, place) => (place ? `-${name}` : name));
  return { columns, widths: { [columns[0]!]: 300 }, totals: [columns[1]!], group: groupable(model)[0]?.name ?? "", density: "roomy", mode: "pages", perPage: 100, q: "quay & crane", byMeaning: Boolean(model.semantic), conditions, sort, page: 3, view: "1", isEverywhere: true };
}

describe("the address", () => {
  it.each(MODELS)("of a list of $name holds all that is chosen, and nothing that is usual", ({ model }) => {
    const chosen = changedState(model);
    expect(read(model, new URLSearchParams(written(model, chosen).toString()))).toEqual(chosen);
    const usual = read(model, new URLSearchParams());
    expect(usual).toEqual({ ...usualLook(model), q: "", byMeaning: false, conditions: [], sort: [], page: 1, view: "", isEverywhere: false });
    expect(written(model, usual).toString()).toBe("");
  });

  it.each(MODELS)("of a list of $name that says what nobody can have is read without it", ({ model }) => {
    const search = new URLSearchParams({ columns: "nothing,x", filter: '[["nothing","eq",1],7]', sort: "nothing", density: "thick", mode: "spiral", perPage: "7", page: "-2", widths: "{" });
    expect(read(model, search)).toEqual(read(model, new URLSearchParams()));
  });
});

describe("a look", () => {
  const model = modelOf("crm/deal");
  const wrapper = ({ children }: { children: ReactNode }) => <MemoryRouter>{children}</MemoryRouter>;
  const opened = () => renderHook(() => ({ list: useAddress(model), address: useLocation().search }), { wrapper });

  it("is kept for the next visit, and does not stand in the address", () => {
    const { result } = opened();
    act(() => result.current.list[1]({ density: "compact", columns: ["name", "probability"], widths: { name: 300 } }));
    expect(result.current.address).toBe("");
    expect(opened().result.current.list[0]).toMatchObject({ density: "compact", columns: ["name", "probability"], widths: { name: 300 } });
    expect(read(modelOf("crm/company"), new URLSearchParams()).density).toBe("normal");
  });

  it("of a view stands in the address, and is not kept", () => {
    const { result } = opened();
    act(() => result.current.list[1]({ view: "1" }));
    act(() => result.current.list[1]({ density: "compact" }));
    expect(result.current.address).toBe("?view=1&density=compact");
    expect(opened().result.current.list[0].density).toBe("normal");
  });

  it("begins on the first page once it asks for something else", () => {
    expect([{ q: "a" }, { sort: ["name"] }, { conditions: [] }, { perPage: 25 }, { isEverywhere: true }].map((change) => restarted(change).page)).toEqual([1, 1, 1, 1, 1]);
    expect([restarted({ density: "roomy" }), restarted({ page: 4, q: "a" })]).toEqual([{ density: "roomy" }, { page: 4, q: "a" }]);
  });
});

describe("a row", () => {
  it("shows of each column its own field, and is chosen by the name of its record", async () => {
    const model = modelOf("crm/contact");
    const record = { id: ME, firstName: "Ada", lastName: "Byron", email: "ada@byron.example" };
    const onSelect = vi.fn();
    const fields = ["firstName", "email"].map((name) => fieldOf(model, name)!);
    await shown(<RecordRow model={model} fields={fields} record={record as never} place={0} start={0} size={43} template="1fr" gridId="grid" isSelected={false} isTouched={false} onSelect={onSelect} />);
    expect(screen.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")])).toEqual([["Ada", `/crm/contact/${ME}/show`], ["ada@byron.example", "mailto:ada@byron.example"]]);
    fireEvent.click(screen.getByRole("checkbox", { name: "Select Ada Byron" }));
    expect(onSelect).toHaveBeenCalledWith(ME);
    expect(screen.getByRole("button", { name: "Edit E-mail of Ada Byron" })).toBeTruthy();
    cleanup();
  });
});

describe("a list in groups", () => {
  const deal = modelOf("crm/deal");

  it("is grouped by states first, by what records refer to, and by nothing that each has for itself", () => {
    const names = groupable(deal).map(({ name }) => name);
    expect(names[0]).toBe("stage");
    expect(names).toContain("companyId");
    expect(names).not.toContain("id");
    for (const { model } of MODELS) for (const field of groupable(model)) expect([field.filterable, Boolean(field.unique), Boolean(field.operators?.includes("eq"))]).toEqual([true, false, true]);
  });

  it("has states in their order, and what has none last", () => {
    const groups = ["won", null, "lead"].map((stage, at) => ({ group: { stage }, count: at }));
    expect(inOrder(["lead", "won"], "stage", groups).map(({ group }) => group.stage)).toEqual(["lead", "won", null]);
    expect(inOrder([], "companyId", [{ group: { companyId: "b" }, count: 2 }, { group: { companyId: "a" }, count: 1 }]).map(({ count }) => count)).toEqual([2, 1]);
  });

  it("shows of each group the rows that have its value, or none", () => {
    const stage = fieldOf(deal, "stage")!;
    expect([conditionOf(stage, "won"), conditionOf(stage, null)]).toEqual([["stage", "eq", "won"], ["stage", "isNull", true]]);
  });

  it("says so in its address, where it is a field that groups", () => {
    const grouped = (text: string) => read(deal, new URLSearchParams(text)).group;
    expect([grouped("group=stage"), grouped("group=name2"), grouped("")]).toEqual(["stage", "", ""]);
    expect(written(deal, read(deal, new URLSearchParams("group=stage"))).get("group")).toBe("stage");
  });
});

describe("a list in the order that people give it", () => {
  const plain = modelOf("crm/contact");
  const rank: Field = { name: "rank", type: "position", sortable: true, settable: ["create", "update"], readable: true };
  const model = { ...plain, fields: [...plain.fields, rank] };

  it("is one that is sorted by positions first", () => {
    expect([["rank"], ["-rank", "email"], ["email", "rank"], []].map((sort) => orderedBy(model, sort))).toEqual([
      { field: "rank", isDescending: false }, { field: "rank", isDescending: true }, undefined, undefined,
    ]);
  });

  it("places a record as the list shows it, whichever way it is sorted", () => {
    expect([placed(ME, true, false), placed(ME, false, false), placed(ME, true, true), placed(ME, false, true)]).toEqual(
      [`before:${ME}`, `after:${ME}`, `after:${ME}`, `before:${ME}`],
    );
  });

  it("moves a record up and down with buttons, but not beyond its ends", async () => {
    const record = { id: ME, rank: "1024", firstName: "Ada", lastName: "Byron" };
    const row = (sorted: object) => (
      <RecordRow model={model} fields={[rank]} record={record as never} place={0} start={0} size={43} template="1fr" gridId="grid" isSelected={false} isTouched={false} onSelect={vi.fn()} {...sorted} />
    );
    const update = vi.fn(() => Promise.resolve({ data: record }));
    await shown(row({ orderedBy: "rank", below: "other" }), { data: { update } as never });
    const buttons = () => screen.getAllByRole("button").map((button) => [button.getAttribute("aria-label"), (button as HTMLButtonElement).disabled]);
    expect(buttons()).toEqual([["Move Ada Byron up", true], ["Move Ada Byron down", false]]);
    fireEvent.click(screen.getByRole("button", { name: "Move Ada Byron down" }));
    await waitFor(() => expect(update).toHaveBeenCalledWith("crm/contact", expect.objectContaining({ id: ME, data: { rank: "after:other" } })));
    cleanup();
    await shown(row({}));
    expect(buttons().map(([name]) => String(name).slice(0, 4))).toEqual(["Edit"]);
    cleanup();
  });
});

describe("what is read of records", () => {
  it.each(MODELS)("those of $name come with what is shown, what names them and the names of what they refer to", ({ model }) => {
    const { columns } = usualLook(model);
    const { fields, expand = {} } = wanted(catalogue, model, columns);
    expect(fields).toEqual(expect.arrayContaining(["id", ...columns, ...(model.label ?? []), ...(fieldOf(model, "currency") ? ["currency"] : [])]));
    for (const name of columns) {
      const relation = catalogue.relationOf(model, fieldOf(model, name)!);
      const target = relation && catalogue.get(relation.model);
      if (target) expect(expand[relation.name]).toEqual({ fields: target.label ?? ["id"] });
    }
  });

  it("belong to another record by their reference, or along the relation where that is no filter", () => {
    expect(belonging(modelOf("crm/deal"), { field: "companyId", id: ME })).toEqual({ companyId: ME });
    const alongside = FIELDS.find(({ model, field }) => field.references && !field.filterable && catalogue.relationOf(model, field));
    if (alongside) expect(belonging(alongside.model, { field: alongside.field.name, id: ME })).toEqual({ [catalogue.relationOf(alongside.model, alongside.field)!.name]: { id: ME } });
  });
});

describe("the organization that is acted in", () => {
  it.each(MODELS)("is that of records of $name, their parents' where they have none, or no question", ({ model }) => {
    const where = belongsTo(catalogue, model, ME);
    const { kind, column = "" } = model.scope;
    if (kind === "organization" && fieldOf(model, column)?.references && fieldOf(model, column)?.filterable) expect(where).toEqual({ [column]: ME });
    if (!["organization", "parent"].includes(kind)) expect(where).toBeUndefined();
    if (where) expect(JSON.stringify(where)).toContain(ME);
  });

  it("is asked along the relation to the parent", () => {
    expect(belongsTo(catalogue, modelOf("ai-rag/document"), ME)).toEqual({ index: { organizationId: ME } });
    expect(belongsTo(catalogue, modelOf("crm/company"), ME)).toEqual({ organizationId: ME });
  });
});

describe("the address of an export", () => {
  const model = modelOf("crm/deal");
  const state = read(model, new URLSearchParams({ sort: "-amount" }));
  const asked = (given: Parameters<typeof exportAddress>[3]) => Object.fromEntries(exportAddress(model, state, { where: { stage: "won" }, q: "crane" }, given).searchParams);

  it("asks for what is shown: the conditions, words, order and columns", () => {
    expect(asked({ format: "csv", columns: ["name"], ids: undefined })).toEqual({ as: "csv", where: '{"stage":"won"}', search: "crane", sort: "-amount", fields: "name" });
  });

  it("asks for the records that are chosen, whatever the list shows", () => {
    expect(asked({ format: "json", columns: undefined, ids: [ME] })).toEqual({ as: "json", where: `{"id":{"in":["${ME}"]}}`, sort: "-amount" });
    expect(nameOf(model)).toBe("crm/deal");
  });
});
