/**
 * The data provider against a running service: what react-admin expects of each method. `ROWGATE_URL` and `ROWGATE_TOKEN`
 * name the service and somebody's bearer or key; `tests/studio/test_modules.py` gives both.
 */
import { RowgateError, VersionConflict, createDataProvider, type Row } from "@rowgate/client/react-admin";
import { beforeAll, describe, expect, it } from "vitest";

const COMPANY = "crm/company";
const CONTACT = "crm/contact";

const provider = createDataProvider({ baseUrl: process.env.ROWGATE_URL!, token: process.env.ROWGATE_TOKEN! });
const page = (number: number, perPage = 10) => ({ page: number, perPage });

let mark: string;
let made: Row[];

const make = async (name: string, more: object = {}) => (await provider.create(COMPANY, { data: { name, ...more } })).data;
const listed = (asked: object) => provider.getList(COMPANY, { pagination: page(1), filter: { industry: mark }, ...asked });

beforeAll(async () => {
  mark = crypto.randomUUID();
  made = [];
  for (const name of ["Crane", "Anchor", "Buoy"]) made.push(await make(name, { industry: mark }));
});

describe("getList", () => {
  it("gives records with their id, and the total of all pages", async () => {
    const { data, total } = await listed({ pagination: page(1, 2), sort: { field: "name", order: "ASC" } });
    expect(data.map(({ name }) => name)).toEqual(["Anchor", "Buoy"]);
    expect(data.every(({ id }) => typeof id === "string")).toBe(true);
    expect(total).toBe(3);
  });

  it("gives the page that is asked for, and says which others there are", async () => {
    const first = await listed({ pagination: page(1, 2), sort: { field: "name", order: "ASC" } });
    const second = await listed({ pagination: page(2, 2), sort: { field: "name", order: "ASC" } });
    expect(first.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false });
    expect(second.pageInfo).toEqual({ hasNextPage: false, hasPreviousPage: true });
    expect(second.data.map(({ name }) => name)).toEqual(["Crane"]);
  });

  it("sorts both ways, and by several keys", async () => {
    const names = async (asked: object) => (await listed(asked)).data.map(({ name }) => name);
    expect(await names({ sort: { field: "name", order: "DESC" } })).toEqual(["Crane", "Buoy", "Anchor"]);
    expect(await names({ meta: { sort: ["industry", "-name"] } })).toEqual(["Crane", "Buoy", "Anchor"]);
  });

  it("filters by equality, by conditions and by words", async () => {
    const names = async (filter: object) => (await provider.getList(COMPANY, { filter: { industry: mark, ...filter } })).data.map(({ name }) => name);
    expect(await names({ name: "Buoy" })).toEqual(["Buoy"]);
    expect(await names({ where: { name: { startsWith: "An" } } })).toEqual(["Anchor"]);
    expect(await names({ q: "crane" })).toEqual(["Crane"]);
    expect(await names({ name: "Nobody" })).toEqual([]);
  });

  it("walks by cursor over every record once", async () => {
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const { data, meta } = await listed({ pagination: page(1, 2), meta: { cursor, sort: ["name"] } });
      seen.push(...data.map(({ id }) => id));
      cursor = meta.next;
    }
    expect(new Set(seen)).toEqual(new Set(made.map(({ id }) => id)));
    expect(seen).toHaveLength(3);
  });

  it("leaves the total out when nobody wants it", async () => {
    expect(await listed({ meta: { count: "none" } })).not.toHaveProperty("total");
  });

  it("stops when it is no longer wanted", async () => {
    const stopped = AbortSignal.abort();
    await expect(listed({ signal: stopped })).rejects.toThrow();
  });
});

describe("getOne, getMany and getManyReference", () => {
  it("give a record", async () => {
    expect((await provider.getOne(COMPANY, { id: made[0]!.id })).data).toMatchObject({ id: made[0]!.id, name: "Crane" });
  });

  it("refuse a record that is not there", async () => {
    const missing = provider.getOne(COMPANY, { id: crypto.randomUUID() });
    await expect(missing).rejects.toMatchObject({ status: 404 });
  });

  it("give those of many that are there", async () => {
    const ids = [made[2]!.id, crypto.randomUUID(), made[0]!.id];
    const { data } = await provider.getMany(COMPANY, { ids });
    expect(new Set(data.map(({ id }) => id))).toEqual(new Set([made[2]!.id, made[0]!.id]));
  });

  it("give more than one request can name", async () => {
    const ids = [...Array.from({ length: 250 }, () => crypto.randomUUID() as string), made[1]!.id];
    expect((await provider.getMany(COMPANY, { ids })).data.map(({ name }) => name)).toEqual(["Anchor"]);
  });

  it("give what refers to a record", async () => {
    const company = made[0]!;
    const { data: contact } = await provider.create(CONTACT, { data: { firstName: "Ines", lastName: "Roth", email: "ines@harbour.example", companyId: company.id } });
    const { data, total } = await provider.getManyReference(CONTACT, {
      target: "companyId", id: company.id, pagination: page(1), sort: { field: "lastName", order: "ASC" }, filter: {},
    });
    expect(data.map(({ id }) => id)).toEqual([contact.id]);
    expect(total).toBe(1);
  });
});

describe("create and update", () => {
  it("give the whole record, with what the service set", async () => {
    const record = await make("Dredger");
    expect(record).toMatchObject({ name: "Dredger" });
    expect(record.createdAt).toBeTruthy();
    const { data } = await provider.update(COMPANY, { id: record.id, data: { ...record, name: "Dredger 2" }, previousData: record });
    expect(data).toMatchObject({ id: record.id, name: "Dredger 2" });
  });

  it("send what has changed alone: another's change of another field stays", async () => {
    const record = await make("Ferry");
    const { data: other } = await provider.update(COMPANY, { id: record.id, data: { employees: 7 } });
    const { data } = await provider.update(COMPANY, { id: record.id, data: { ...record, name: "Ferry 2" }, previousData: { ...record, _version: other._version } });
    expect(data).toMatchObject({ name: "Ferry 2", employees: 7 });
  });

  it("refuse a change of what somebody else changed meanwhile, unless it is forced", async () => {
    const record = await make("Gantry");
    await provider.update(COMPANY, { id: record.id, data: { name: "Theirs" } });
    const change = { id: record.id, data: { ...record, name: "Mine" }, previousData: record };
    await expect(provider.update(COMPANY, change)).rejects.toBeInstanceOf(VersionConflict);
    expect((await provider.update(COMPANY, { ...change, meta: { force: true } })).data.name).toBe("Mine");
  });

  it("ask nothing when nothing has changed", async () => {
    const record = await make("Hulk");
    const quiet = createDataProvider({ baseUrl: "http://127.0.0.1:9", token: "none" });
    expect((await quiet.update(COMPANY, { id: record.id, data: { ...record }, previousData: record })).data).toEqual(record);
  });

  it("say which field is wrong, as forms read it", async () => {
    const refused = await provider.create(COMPANY, { data: { name: "" } }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(RowgateError);
    expect(refused).toMatchObject({ status: 400, body: { errors: { name: expect.any(String) } } });
  });

  it("give an error its request id", async () => {
    const refused = await provider.getOne(COMPANY, { id: crypto.randomUUID() }).catch((error: unknown) => error);
    expect((refused as RowgateError).requestId).toBeTruthy();
  });
});

describe("many at once", () => {
  it("are changed, and named", async () => {
    const ids = [(await make("Jetty")).id, (await make("Keel")).id];
    expect(await provider.updateMany(COMPANY, { ids, data: { employees: 8 } })).toEqual({ data: ids });
    const { data } = await provider.getMany(COMPANY, { ids });
    expect(data.map(({ employees }) => employees)).toEqual([8, 8]);
  });

  it("are deleted, and named", async () => {
    const ids = [(await make("Lock")).id, (await make("Mole")).id];
    expect(await provider.deleteMany(COMPANY, { ids })).toEqual({ data: ids });
    expect((await provider.getMany(COMPANY, { ids })).data).toEqual([]);
  });

  it("change all or none", async () => {
    const record = await make("Net");
    const refused = provider.updateMany(COMPANY, { ids: [record.id, crypto.randomUUID()], data: { name: "Other" } });
    await expect(refused).rejects.toBeInstanceOf(RowgateError);
    expect((await provider.getOne(COMPANY, { id: record.id })).data.name).toBe("Net");
  });
});

describe("delete and aggregate", () => {
  it("deletes one, and gives what it was", async () => {
    const record = await make("Oar");
    expect((await provider.delete(COMPANY, { id: record.id, previousData: record })).data).toMatchObject({ id: record.id, name: "Oar" });
    await expect(provider.getOne(COMPANY, { id: record.id })).rejects.toMatchObject({ status: 404 });
  });

  it("does not delete what somebody has changed meanwhile", async () => {
    const record = await make("Pier");
    await provider.update(COMPANY, { id: record.id, data: { name: "Pier 2" } });
    await expect(provider.delete(COMPANY, { id: record.id, previousData: record })).rejects.toBeInstanceOf(VersionConflict);
  });

  it("sums", async () => {
    const { data } = await provider.aggregate(COMPANY, { where: { industry: mark }, measures: { count: true } });
    expect(data).toEqual([{ group: {}, count: 3 }]);
  });
});
