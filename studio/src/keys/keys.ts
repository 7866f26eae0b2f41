/** What the pages of keys read, and how what they show is read again after a write. */
import type { Row } from "@rowgate/client/react-admin";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";

import type { Access } from "../access/grants";
import { provider } from "../api/provider";
import { useAct, useRenewal } from "../organizations/queries";
import { ask } from "../session/transport";

/** What is said of the secret of a new key. */
export const WORDS = { title: "studio.keys.created", text: "studio.keys.created_text", keep: "studio.keys.keep", confirm: "studio.keys.confirm", lost: "studio.keys.lost", done: "studio.keys.done" };
export const RESOURCE = "auth/api-key";
export const USES = "auth/api-key-analytics";
export const pathOfKey = (id = "", what = "") => ["/api/v1/auth/api-key", id && encodeURIComponent(id), what].filter(Boolean).join("/");

export type ApiKey = Row & {
  name: string;
  start: string;
  scopes: readonly string[];
  enabled: boolean;
  status: "active" | "disabled" | "expired" | "revoked";
  expiresAt: string;
  lastUsedAt: string | null;
  ipAllowList: readonly string[];
  access: Access;
  metadata: Record<string, unknown>;
  createdAt: string;
};

/** A key as its creation answers it. */
export interface Made {
  id: string;
  /** Nothing where the answer is a repeated one: the service keeps no secret. */
  key: string | null;
}

/** One request with a key. */
export type Use = Row & { time: string; outcome: string; method: string; route: string | null; statusCode: number; ipAddress: string | null; latencyMs: number };

/** Milliseconds; nothing where nothing was asked. */
export interface Latency {
  average: number | null;
  p95: number | null;
  max: number | null;
}

/** The use of a key in one hour or day. */
export interface Point {
  time: string;
  requests: number;
  outcomes: Readonly<Record<string, number>>;
  latencyMs: Latency;
}

export type Interval = "hour" | "day";

interface Usage {
  data: readonly Point[];
  meta: { interval: Interval; requests: number };
}

/** What the charts reach over; the service counts by the hour, and by the day of UTC. */
export const RANGES = { day: { interval: "hour", count: 24 }, week: { interval: "day", count: 7 }, month: { interval: "day", count: 30 } } as const;
export type Range = keyof typeof RANGES;

const LENGTH = { hour: 3_600_000, day: 86_400_000 };
/** The largest page of a list. */
const MOST = 1000;
const NEWEST = 20;
/** Milliseconds after which the use of a key, which is no change of a record, is read again while somebody looks. */
const LOOKS = 10_000;

export function useKeys() {
  return useQuery({
    queryKey: [RESOURCE, "keys", "list"],
    queryFn: async ({ signal }) => (await provider.getList(RESOURCE, { pagination: { page: 1, perPage: MOST }, meta: { count: "none" }, signal })).data as ApiKey[],
  });
}

export function useKey(id: string) {
  return useQuery({ queryKey: [RESOURCE, "keys", "one", id], queryFn: async ({ signal }) => (await provider.getOne(RESOURCE, { id, signal })).data as ApiKey });
}

export function useUsage(id: string, range: Range) {
  const { interval, count } = RANGES[range];
  return useQuery({
    queryKey: [RESOURCE, "keys", "usage", id, range], refetchInterval: LOOKS,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      // The hour or day that has begun is the last of them.
      const from = new Date(Date.now() - (count - 1) * LENGTH[interval]).toISOString();
      return ask<Usage>("GET", `${pathOfKey(id, "usage")}?interval=${interval}&from=${encodeURIComponent(from)}`, undefined, signal);
    },
  });
}

export function useUses(id: string) {
  return useQuery({
    queryKey: [RESOURCE, "keys", "uses", id], refetchInterval: LOOKS,
    queryFn: async ({ signal }) => {
      const asked = { filter: { where: { keyId: id } }, pagination: { page: 1, perPage: NEWEST }, sort: { field: "time", order: "DESC" }, meta: { count: "none" as const }, signal };
      return (await provider.getList(USES, asked)).data as Use[];
    },
  });
}

/** Carry out a write of keys and say how it went. */
export const useKeyAct = () => useAct(RESOURCE);

/** Have the pages of keys read again. */
export const useKeyRenewal = () => useRenewal([RESOURCE]);

/** The same before the page is left: what it shows may be gone, so that only the next one reads. */
export function useLateRenewal() {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: [RESOURCE], refetchType: "none" });
}
