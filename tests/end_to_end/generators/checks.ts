/** What the programs of the generated clients share: what they are told, and what they find right. */
declare const process: { argv: string[] };

export const [address = "", email = ""] = process.argv.slice(2);
export const PASSWORD = "correct horse battery";

let calls = 0;

/** Await a call, and count it. */
export async function called<T>(call: Promise<T>): Promise<T> {
  calls += 1;
  return call;
}

/** Refuse what is not as it should be. */
export function same(found: unknown, wanted: unknown): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (is !== should) throw new Error(`call ${calls}: ${is} instead of ${should}`);
}

/** The one of several forms of an answer that has `name`. */
export function having<T extends object, K extends PropertyKey>(answer: T, name: K): Extract<T, Record<K, unknown>> {
  if (!(name in answer)) throw new Error(`call ${calls}: no ${String(name)} in ${JSON.stringify(answer)}`);
  return answer as Extract<T, Record<K, unknown>>;
}

/** Say how many calls were right. */
export function finish(): void {
  console.log(`right: ${calls}`);
}
