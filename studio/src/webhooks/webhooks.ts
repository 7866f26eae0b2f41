/** What the pages of webhooks read, and what can be asked for: events by model and by what happens. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTranslate } from "react-admin";

import { nameOf } from "../catalogue/catalogue";
import { useCatalogue } from "../catalogue/context";
import { useAct, useRenewal } from "../organizations/queries";
import { ask } from "../session/transport";

export interface Webhook {
  id: string;
  userId: string;
  organizationId: string;
  url: string;
  description: string | null;
  eventTypes: readonly string[];
  where: object | null;
  enabled: boolean;
  failureCount: number;
  failingSince: string | null;
  disabledAt: string | null;
  disabledReason: "gone" | "failing" | "overflow" | null;
  createdAt: string;
}

/** A webhook as its creation answers it. */
export interface Made extends Webhook {
  /** Nothing where the answer is a repeated one: the service keeps no secret that it shows. */
  secret: string | null;
}

export interface Delivery {
  id: string;
  eventId: string;
  eventType: string;
  status: "pending" | "delivering" | "delivered" | "failed" | "abandoned";
  attempts: number;
  nextAttemptAt: string | null;
  payload: object | null;
  responseStatus: number | null;
  responseExcerpt: string | null;
  errorMessage: string | null;
  durationMs: number | null;
  createdAt: string;
}

export const STATUSES: readonly Delivery["status"][] = ["pending", "delivering", "delivered", "failed", "abandoned"];
/** What is said of the secret of a webhook. */
export const WORDS = { title: "studio.webhooks.created", text: "studio.webhooks.created_text", keep: "studio.webhooks.keep", confirm: "studio.webhooks.confirm", lost: "studio.webhooks.lost", done: "studio.webhooks.done" };
const OPERATIONS = ["create", "update", "delete"] as const;
const WEBHOOKS = "webhooks";
/** How often deliveries are looked at while somebody looks. */
const WATCHED_EVERY = 2000;

export const pathOfWebhook = (id = "", what = "") => ["/api/v1/_webhooks", id && encodeURIComponent(id), what].filter(Boolean).join("/");

export function useWebhooks() {
  return useQuery({ queryKey: [WEBHOOKS, "list"], queryFn: async ({ signal }) => (await ask<{ data: Webhook[] }>("GET", `${pathOfWebhook()}?take=100`, undefined, signal)).data });
}

export function useWebhook(id: string) {
  return useQuery({ queryKey: [WEBHOOKS, "one", id], queryFn: ({ signal }) => ask<Webhook>("GET", pathOfWebhook(id), undefined, signal) });
}

/** What was sent, and what waits, the latest first. */
export function useDeliveries(id: string, status: string) {
  return useInfiniteQuery({
    queryKey: [WEBHOOKS, "deliveries", id, status],
    queryFn: ({ signal, pageParam }) => {
      const asked = new URLSearchParams({ take: "20", ...(status && { status }), ...(pageParam && { cursor: pageParam }) });
      return ask<{ data: Delivery[]; meta: { next: string | null } }>("GET", `${pathOfWebhook(id, "_deliveries")}?${asked}`, undefined, signal);
    },
    initialPageParam: "",
    getNextPageParam: ({ meta }) => meta.next ?? undefined,
    refetchInterval: WATCHED_EVERY,
  });
}

/** Carry out something about webhooks and say how it went. */
export const useWebhookAct = () => useAct(WEBHOOKS);

/** Have the pages of webhooks read again. */
export const useWebhookRenewal = () => useRenewal([WEBHOOKS]);

/** Names of events for people, by their types. */
export function useEventNames(): (type: string) => string {
  const translate = useTranslate();
  const catalogue = useCatalogue();
  return (type) => {
    if (type === "*") return translate("studio.webhooks.everything");
    const [domain = "", model = "", operation = ""] = type.split(".");
    if (model === "*") return translate("studio.webhooks.all_of_domain", { domain: translate(`domain.${domain}`, { _: domain }) });
    const named = catalogue.get(`${domain}/${model}`) ? translate(`resources.${domain}/${model}.name`, { smart_count: 2 }) : `${domain}/${model}`;
    return translate(operation === "*" ? "studio.webhooks.all_of_model" : `studio.webhooks.on_${operation}`, { models: named });
  };
}

/** The types that can be asked for: everything, what happens in a domain, to a model, and each of that. */
export function useEventTypes(): readonly string[] {
  const models = [...useCatalogue().models.values()].filter(({ history, operations }) => history && operations.list).map((model) => nameOf(model).replace("/", "."));
  const domains = [...new Set(models.map((name) => name.split(".")[0]!))];
  return ["*", ...domains.flatMap((domain) => [`${domain}.*`, ...models.filter((name) => name.startsWith(`${domain}.`)).flatMap((name) => [`${name}.*`, ...OPERATIONS.map((operation) => `${name}.${operation}`)])])];
}
