/** Lists that stay true: read again whenever something has changed that they may have, hold or follow. */
import type { Collection } from "./collection.js";
import type { Connection } from "./connection.js";
import { RowgateError } from "./errors.js";
import { type News, hearing } from "./hearing.js";
import { backoff, waited } from "./pauses.js";

/** How a list is kept. */
export interface Keeping {
  /** Ends it, as the function does that `live` gives. */
  signal?: AbortSignal;
  /** Is given what ends it, such as a refusal; without it that is thrown as what nobody catches. */
  onError?: (error: unknown) => void;
}

interface Asked {
  readonly where?: object;
  readonly sort?: readonly string[];
  readonly fields?: readonly string[];
  readonly expand?: unknown;
}

/** Milliseconds within which changes are gathered before a list is read again. */
const GATHERED = 50;

/** The method of a model by which a list of it is kept. */
export function living(connection: Connection, model: string, records: Collection) {
  return (query: Asked, onPage: (page: unknown) => void, { signal, onError }: Keeping = {}): (() => void) => {
    const over = new AbortController();
    const ended = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    const fail = (error: unknown) => {
      if (ended.aborted) return;
      over.abort();
      if (onError) onError(error);
      else queueMicrotask(() => { throw error; });
    };
    const list = new Live(() => records.list(query, { signal: ended }), onPage, ended);
    const concerns = reachesOthers(query) ? () => true : (models: readonly string[]) => models.includes(model);
    const listener = { onNews: ({ models }: News) => void ((models === null || concerns(models)) && list.read()), onError: fail };
    const heard = hearing(connection);
    ended.addEventListener("abort", () => heard.leave(listener));
    if (!ended.aborted) void heard.listen(listener).then(() => list.keep()).catch(fail);
    return () => over.abort();
  };
}

class Live {
  private isDue = true;
  private wake: () => void = () => undefined;
  private shown: string | undefined;

  constructor(
    private readonly list: () => Promise<unknown>,
    private readonly onPage: (page: unknown) => void,
    private readonly ended: AbortSignal,
  ) {}

  /** Have it read again, however often that is asked for meanwhile. */
  read(): void {
    this.isDue = true;
    this.wake();
  }

  async keep(): Promise<void> {
    let failures = 0;
    while (!this.ended.aborted) {
      if (!this.isDue) await this.asked();
      // A tab that nobody sees reads when it is looked at again.
      await seen(this.ended);
      if (this.ended.aborted) return;
      this.isDue = false;
      try {
        this.show(await this.list());
        failures = 0;
      } catch (error) {
        if (error instanceof RowgateError && error.status < 500 && error.status !== 429) throw error;
        this.isDue = true;
        failures += 1;
        await waited(backoff(failures, 1000, 30_000), this.ended);
      }
      await waited(GATHERED, this.ended);
    }
  }

  private show(page: unknown): void {
    const said = JSON.stringify(page);
    if (this.ended.aborted || said === this.shown) return;
    this.shown = said;
    this.onPage(page);
  }

  private asked(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
      this.ended.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}

/** What conditions compare by; other names of an object in them are relations. */
const OPERATORS = new Set(["eq", "ne", "gt", "gte", "lt", "lte", "in", "nin", "contains", "startsWith", "endsWith", "isNull", "has", "hasAny", "hasAll", "is"]);

/** Whether records of other models say which a list has, in which order, or stand beside its own. */
function reachesOthers({ where = {}, sort = [], fields = [], expand }: Asked): boolean {
  return expand !== undefined || [...sort, ...fields].some((name) => name.includes(".")) || asksOthers(where);
}

function asksOthers(where: object): boolean {
  return Object.entries(where).some(([name, value]: [string, unknown]) => {
    if (name === "and" || name === "or") return (value as object[]).some(asksOthers);
    if (name === "not") return asksOthers(value as object);
    return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).some((each) => !OPERATORS.has(each));
  });
}

function seen(ended: AbortSignal): Promise<void> {
  if (typeof document === "undefined" || document.visibilityState === "visible") return Promise.resolve();
  return new Promise((resolve) => {
    const look = () => {
      if (document.visibilityState !== "visible" && !ended.aborted) return;
      document.removeEventListener("visibilitychange", look);
      ended.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    ended.addEventListener("abort", look);
  });
}
