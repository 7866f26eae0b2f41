// @vitest-environment happy-dom
/** The conditions of a list as somebody makes them, and as they are told. */
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";

import type { Condition } from "../src/lists/conditions";
import { operatorsOf } from "../src/lists/conditions";
import ConditionForm from "../src/lists/ConditionForm";
import { Filters } from "../src/lists/Filters";
import { inputOf } from "../src/inputs/choice";
import { FIELDS, distinct, fieldNamed, modelOf } from "./service";
import { shown } from "./studio";

const ID = "0192f0c1-7a50-7c3e-9d0a-5b1f6f2d8e11";

afterEach(cleanup);

/** The form of a condition; gives what it keeps. */
async function making(name: string, condition?: Condition) {
  const onKeep = vi.fn<(condition: Condition) => void>();
  const onCancel = vi.fn();
  const { model, field } = fieldNamed(name);
  await shown(<ConditionForm model={model} field={field} condition={condition} onKeep={onKeep} onCancel={onCancel} />);
  return { onKeep, onCancel };
}

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const enter = (name: string, value: string) => fireEvent.change(document.querySelector(`[name="${name}"]`)!, { target: { value } });

describe("a condition", () => {
  it("on an amount is entered as one, and asked for in hundredths", async () => {
    const { onKeep } = await making("crm/deal.amount");
    enter("amount", "150");
    press("Apply");
    await waitFor(() => expect(onKeep).toHaveBeenCalledWith(["amount", "gte", 15_000]));
  });

  it("keeps its value when it is compared otherwise", async () => {
    const { onKeep } = await making("crm/deal.amount");
    enter("amount", "200");
    press("More ways to compare");
    press("is less than");
    press("Apply");
    await waitFor(() => expect(onKeep).toHaveBeenCalledWith(["amount", "lt", 20_000]));
  });

  it("on a state takes several values", async () => {
    const { onKeep } = await making("crm/deal.stage");
    for (const each of ["Lead", "Won"]) fireEvent.click(screen.getByRole("checkbox", { name: each }));
    press("Apply");
    await waitFor(() => expect(onKeep).toHaveBeenCalledWith(["stage", "in", ["lead", "won"]]));
  });

  it("asks for what is empty, and for what is not", async () => {
    const { onKeep } = await making("crm/deal.expectedCloseAt");
    press("More ways to compare");
    press("is not empty");
    press("Apply");
    await waitFor(() => expect(onKeep).toHaveBeenCalledWith(["expectedCloseAt", "isNull", false]));
  });

  it("takes a part of a text, which need not have the form of the whole", async () => {
    const { onKeep } = await making("crm/contact.email");
    enter("email", "harbour");
    press("Apply");
    await waitFor(() => expect(onKeep).toHaveBeenCalledWith(["email", "contains", "harbour"]));
  });

  it("on a person may name whoever asks", async () => {
    const { onKeep } = await making("crm/deal.ownerId");
    press("is me");
    press("Apply");
    await waitFor(() => expect(onKeep).toHaveBeenCalledWith(["ownerId", "is", "me"]));
  });

  it("is not asked of other references", () => {
    expect(operatorsOf(fieldNamed("crm/deal.companyId").field)).not.toContain("is");
    expect(operatorsOf(fieldNamed("crm/deal.ownerId").field)).toContain("is");
  });

  it("without a value is none", async () => {
    const { onKeep, onCancel } = await making("crm/company.name");
    press("Apply");
    await waitFor(() => expect(onCancel).toHaveBeenCalled());
    expect(onKeep).not.toHaveBeenCalled();
  });

  it.each(distinct(FIELDS.filter(({ field }) => field.filterable && field.readable && !field.references && operatorsOf(field).length > 0), ({ field }) => [inputOf(field, true), operatorsOf(field)]))("on fields like $name is made by each of its operators", async ({ name, field }) => {
    for (const operator of operatorsOf(field)) {
      await making(name, [field.name, operator, operator === "isNull" ? true : undefined]);
      expect(screen.getAllByRole("button", { pressed: true })).toHaveLength(1);
      expect(document.body.textContent).not.toMatch(/studio\.|resources\./);
      cleanup();
    }
  });
});

describe("what is told of conditions", () => {
  it.each<[string, Condition, string]>([
    ["crm/deal", ["amount", "gte", 15_000], "Amount is at least $150.00"], ["crm/deal", ["stage", "in", ["lead", "won"]], "Stage is one of Lead, Won"], ["crm/deal", ["name", "contains", "crane"], "Name contains crane"],
    ["crm/deal", ["expectedCloseAt", "isNull", false], "Expected close is not empty"], ["crm/deal", ["createdAt", "lt", "2026-03-01T12:30:00.000Z"], "Created is before Mar 1, 2026, 12:30 PM"],
    ["crm/deal", ["companyId", "eq", ID], "Company is Harbour Works"], ["crm/deal", ["ownerId", "is", "me"], "Owner is me"], ["storage/bucket", ["quotaBytes", "gte", 1536], "Quota is at least 1.5 KiB"],
  ])("of %s, by %j, is “%s”", async (name, condition, said) => {
    const getMany = () => Promise.resolve({ data: [{ id: ID, name: "Harbour Works" }] });
    const onChange = vi.fn();
    await shown(<Filters model={modelOf(name)} conditions={[condition]} onChange={onChange} />, { data: { getMany: getMany as never } });
    expect((await screen.findByRole("button", { name: said })).textContent).toBe(said);
    fireEvent.click(screen.getByRole("button", { name: `Remove the filter ${said}` }));
    expect(onChange).toHaveBeenCalledWith([]);
  });

  it("that somebody may make are those of fields that can be asked for", async () => {
    const onChange = vi.fn();
    await shown(<Filters model={modelOf("crm/deal")} conditions={[]} onChange={onChange} />);
    press("Filter");
    const offered = screen.getAllByRole("menuitem").map(({ textContent }) => textContent);
    expect(offered).toEqual(expect.arrayContaining(["Amount", "Company", "Created", "Name", "Stage"]));
    expect(offered).not.toContain("ID");
    fireEvent.click(screen.getByRole("menuitem", { name: "Name" }));
    await screen.findByRole("button", { name: "Apply" });
    enter("name", "crane");
    press("Apply");
    await waitFor(() => expect(onChange).toHaveBeenCalledWith([["name", "contains", "crane"]]));
  });
});
