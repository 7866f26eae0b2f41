/** The data provider of the studio, and the queries that react-admin has no word for. */
import { type Noted, createDataProvider } from "@rowgate/client/react-admin";
import type { DataProvider } from "react-admin";

import { send, signedIn } from "../session/transport";
import { createWithFile } from "./uploads";

const paths = new Map<string, string>();

/** Say where the records of each model are. */
export function locate(resources: Iterable<readonly [string, string]>): void {
  for (const [name, path] of resources) paths.set(name, path);
}

export const pathOf = (resource: string) => paths.get(resource) ?? `/api/v1/${resource}`;

export const provider = createDataProvider({ baseUrl: "", token: async () => (await signedIn()).token, caller: async () => (await signedIn()).userId, fetch: send }, pathOf);
/** What the forms of react-admin write with: they may hold files. */
export const dataProvider = {
  ...provider,
  create: (resource: string, { data, meta }: { data: Record<string, unknown>; meta?: Noted }) => createWithFile(provider, resource, data, meta),
} as unknown as DataProvider;
