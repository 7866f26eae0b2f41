/** What went wrong, in a sentence for people, with the id by which the service's logs know it. */
import { RowgateError, VersionConflict, fieldErrors } from "@rowgate/client/react-admin";
import { useCallback } from "react";
import { useTranslate } from "react-admin";

type Translate = (key: string, options?: object) => string;

const KEYS: Record<number, string> = {
  400: "invalid", 403: "forbidden", 404: "missing", 409: "conflict", 412: "changed", 413: "large", 415: "invalid", 422: "invalid", 428: "changed",
  429: "limited", 503: "unavailable",
};

/** What the studio itself refuses, by the text that says why. */
export class Refusal extends Error {
  constructor(readonly key: string, readonly words: object = {}) {
    super(key);
  }
}

/** Whether the service asks for recent proof of who asks. */
export const isStale = (error: unknown) => error instanceof RowgateError && (error.code === "REAUTHENTICATION_REQUIRED" || error.message === "Sign in again to do this");

/** What is wrong with which field, by the label that the field has on the screen. */
function faultsOf(faults: Record<string, string>, translate: Translate): string {
  const label = (name: string) => name.split(".").map((part) => translate(`resources..fields.${part}`)).join(": ");
  return Object.entries(faults).map(([name, said]) => `${label(name)}: ${translate(said, { _: said })}`).join(" ");
}

/** `shown` are the fields of the form: what is said at them is not said once more. */
export function sentenceOf(error: unknown, translate: Translate, shown: readonly string[] = []): string {
  if (error instanceof Refusal) return translate(error.key, error.words);
  if (!(error instanceof RowgateError)) {
    return translate("studio.errors.unknown", { message: error instanceof Error ? error.message : String(error) });
  }
  const key = error instanceof VersionConflict ? "changed" : isStale(error) ? "reauthentication" : (KEYS[error.status] ?? "unknown");
  const faults = key === "invalid" ? fieldErrors(error) : {};
  const named = Object.keys(faults);
  const message = named.length > 0 ? faultsOf(faults, translate) : translate(error.message, { _: error.message });
  const isShown = named.length > 0 && named.every((name) => shown.includes(name));
  const told = translate(`studio.errors.${isShown ? "fields" : key}`, { message, smart_count: error.retryAfter ?? 1 });
  return error.requestId ? `${told} (${translate("studio.errors.request", { id: error.requestId })})` : told;
}

export function useSentence(): (error: unknown, shown?: readonly string[]) => string {
  const translate = useTranslate();
  return useCallback((error, shown) => sentenceOf(error, translate, shown), [translate]);
}
