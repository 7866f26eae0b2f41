// @vitest-environment happy-dom
/** Grants as the service takes them, and what the editor makes of them. */
import { RowgateError } from "@rowgate/client/react-admin";
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { useState } from "react";
import { afterEach, describe, expect, it } from "vitest";

import { GrantsEditor } from "../src/access/GrantsInput";
import { type Access, changed, choicesOf, commonOf, conditionsOf, faultsOfAccess, faultsOfGrant, isSame, modelsOf, namable, operationsOf, previewOf, whereOf } from "../src/access/grants";
import { nameOf } from "../src/catalogue/catalogue";
import type { Condition } from "../src/lists/conditions";
import { operatorsOf, takesMany } from "../src/lists/conditions";
import { MODELS, catalogue, modelOf } from "./service";
import { shown } from "./studio";

afterEach(cleanup);

const named = (...models: string[]) => modelsOf({ models }, catalogue).map(nameOf);

describe("the models of a grant", () => {
  it("are those that it names", () => expect(named("crm/deal", "crm/contact")).toEqual(["crm/contact", "crm/deal"]));
  it("are all of a domain", () => expect(named("crm/*")).toEqual(MODELS.filter(({ model }) => model.domain === "crm").map(({ name }) => name)));
  it("are all but accounts and organizations", () => expect(named("*")).toEqual(MODELS.filter(({ model }) => model.domain !== "auth").map(({ name }) => name)));
  it("are none where nobody knows them", () => expect([named("crm/nothing"), named()]).toEqual([[], []]));
  it("can be chosen one by one, by domain and all at once", () => {
    const choices = choicesOf(catalogue);
    expect(choices).toEqual(expect.arrayContaining(["*", "crm/*", "crm/deal"]));
    expect(choices).toHaveLength(1 + catalogue.domains.length + MODELS.length);
  });
});

describe("the fields that a grant may name", () => {
  it("are those of its model", () => expect(commonOf([modelOf("crm/deal")])).toBe(modelOf("crm/deal")));
  it("are those that all of its models have", () => {
    const names = namable(commonOf([modelOf("crm/deal"), modelOf("crm/company")])!).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["id", "name", "createdAt"]));
    expect(names).not.toContain("stage");
  });
  it("are none without a model", () => expect(commonOf([])).toBeUndefined());
  it("are in no condition where two models compare them otherwise", () => {
    for (const field of commonOf(MODELS.map(({ model }) => model))!.fields) {
      const kinds = new Set(MODELS.map(({ model }) => model.fields.find(({ name }) => name === field.name)!.type));
      expect(kinds.size === 1 || !field.filterable).toBe(true);
    }
  });
});

describe("conditions", () => {
  const deal = modelOf("crm/deal");

  it.each<[object, readonly Condition[]]>([
    [{ stage: "won" }, [["stage", "eq", "won"]]], [{ ownerId: { is: "me" } }, [["ownerId", "is", "me"]]], [{ companyId: null }, [["companyId", "isNull", true]]],
    [{ amount: { gte: 1, lt: 9 } }, [["amount", "gte", 1], ["amount", "lt", 9]]], [{ and: [{ stage: { in: ["won"] } }, { name: { contains: "a" } }] }, [["stage", "in", ["won"]], ["name", "contains", "a"]]], [{}, []],
  ])("of %j are in the pickers", (where, conditions) => expect(conditionsOf(deal, where as Record<string, unknown>)).toEqual(conditions));

  it.each([{ or: [{ stage: "won" }] }, { not: { stage: "won" } }, { company: { name: "a" } }, { nothing: 1 }, { stage: { unheard: 1 } }, { and: ["won"] }])("of %j are left as they are", (where) => {
    expect(conditionsOf(deal, where as Record<string, unknown>)).toBeUndefined();
  });

  it.each(MODELS)("on $name come back as they were given", ({ model }) => {
    const made = model.fields.filter(({ filterable }) => filterable).flatMap((field) =>
      operatorsOf(field).map((operator) => [field.name, operator, operator === "is" ? "me" : operator === "isNull" ? true : takesMany(operator) ? ["a"] : "a"] as const));
    expect(conditionsOf(model, whereOf(made))).toEqual(made);
  });

  it("that compare a field in the same way twice are joined", () => {
    const twice: Condition[] = [["name", "contains", "a"], ["name", "contains", "b"]];
    expect(whereOf(twice)).toEqual({ and: [{ name: { contains: "a" } }, { name: { contains: "b" } }] });
    expect(conditionsOf(deal, whereOf(twice))).toEqual(twice);
  });

  it("that are none are no part of a grant", () => expect(changed({ models: ["*"], where: { stage: "won" } }, { where: whereOf([]) })).toEqual({ models: ["*"] }));
});

it("is the same list in whatever order its members come", () => {
  const grant = { models: ["crm/deal"], where: { stage: { eq: "won" }, amount: { gte: 1 } } };
  expect(isSame([grant], [{ where: { amount: { gte: 1 }, stage: { eq: "won" } }, models: ["crm/deal"] }])).toBe(true);
  expect([isSame([grant], [grant, grant]), isSame([], null), isSame([{ models: ["a", "b"] }], [{ models: ["b", "a"] }])]).toEqual([false, false, false]);
});

it("opens lists and records where nothing is said", () => expect([operationsOf({ models: [] }), operationsOf({ models: [], operations: ["create"] })]).toEqual([["list", "read"], ["create"]]));

describe("what is wrong", () => {
  const faults = { "access[0].where.stage": "Must be one of: lead.", "access[0].where.amount": "Not a number.", "access[1].models[0]": "There is no such model.", "access[10]": "Must be a JSON object.", access: "Too long.", name: "Is taken." };

  it("stands at the part of the grant", () => {
    expect(faultsOfGrant(faults, 0)).toEqual({ where: "Must be one of: lead. Not a number." });
    expect(faultsOfGrant(faults, 1)).toEqual({ models: "There is no such model." });
    expect(faultsOfGrant(faults, 10)).toEqual({ whole: "Must be a JSON object." });
    expect(faultsOfGrant(faults, 2)).toEqual({});
  });

  it("is told from what is wrong elsewhere", () => {
    const fields = Object.fromEntries(Object.entries(faults).map(([name, said]) => [name, [said]]));
    const error = Object.assign(Object.create(RowgateError.prototype) as RowgateError, { details: { fields } });
    expect(Object.keys(faultsOfAccess(error))).not.toContain("name");
    expect(faultsOfAccess(error)).toMatchObject({ access: "Too long." });
    expect(faultsOfAccess(new Error("no"))).toEqual({});
  });
});

describe("the list that shows the same", () => {
  const at = (access: Access) => previewOf(access, "crm/deal", catalogue);

  it("is the whole list without grants", () => expect(at(null)).toBe("/crm/deal"));
  it("has the conditions of the one grant that opens it", () => {
    const grants = [{ models: ["crm/*"], where: { stage: "won" } }, { models: ["crm/deal"], operations: ["read"] }];
    expect(decodeURIComponent(at(grants)!)).toBe('/crm/deal?filter=[["stage","eq","won"]]');
  });
  it("is none where several open it, none does, or a list has no such condition", () => {
    expect([at([]), at([{ models: ["*"] }, { models: ["crm/deal"] }]), at([{ models: ["crm/deal"], where: { not: {} } }])]).toEqual([undefined, undefined, undefined]);
  });
});

describe("the editor", () => {
  async function editing(first: Access, faults = {}) {
    let access = first;
    function Kept() {
      const [value, setValue] = useState(first);
      return <GrantsEditor whose="key" value={value} onChange={(next) => (setValue(next), (access = next))} faults={faults} />;
    }
    await shown(<Kept />);
    return () => access;
  }
  const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

  it("says what no list means, and what an empty one does", async () => {
    const access = await editing(null);
    fireEvent.click(screen.getByRole("radio", { name: /^A list/ }));
    expect(access()).toEqual([]);
    expect(screen.getByText("The list is empty: nothing is open")).toBeTruthy();
    fireEvent.click(screen.getByRole("radio", { name: /^No list/ }));
    expect(access()).toBeNull();
  });

  it("adds a grant, changes what it opens, and takes it away", async () => {
    const access = await editing([]);
    press("Add a grant");
    press("Create");
    press("Read");
    expect(access()).toEqual([{ models: [], operations: ["list", "create"] }]);
    press("Remove grant 1");
    expect(access()).toEqual([]);
  });

  it("has the pickers of filters for rows", async () => {
    const access = await editing([{ models: ["crm/deal"] }]);
    press("Filter");
    fireEvent.click(screen.getByRole("menuitem", { name: "Owner" }));
    await screen.findByRole("button", { name: "is me" });
    press("is me");
    press("Apply");
    await waitFor(() => expect(access()).toEqual([{ models: ["crm/deal"], where: { ownerId: { is: "me" } } }]));
    press("Remove the filter Owner is me");
    expect(access()).toEqual([{ models: ["crm/deal"] }]);
  });

  it("keeps a condition that the pickers do not have", async () => {
    const where = { company: { name: "Harbour Works" } };
    const access = await editing([{ models: ["crm/deal"], where }]);
    expect(within(screen.getByRole("region", { name: "Grant 1" })).getByText(/Harbour Works/)).toBeTruthy();
    press("Create");
    expect(access()).toEqual([{ models: ["crm/deal"], where, operations: ["list", "read", "create"] }]);
    press("Remove this condition");
    expect(access()![0]).not.toHaveProperty("where");
  });

  it("shows what the service refuses at its place", async () => {
    await editing([{ models: ["crm/deal"], where: { stage: "gone" } }], { "access[0].where.stage": "Must be one of: lead." });
    expect(within(screen.getByRole("group", { name: "Of which rows" })).getByRole("alert").textContent).toBe("Must be one of: lead.");
  });
});
