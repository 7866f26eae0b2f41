/** JSON as somebody writes it: read, shown, and what is wrong with it. */

// Forms have an empty text where nothing is set.
export const written = (value: unknown) => (value === undefined || value === null || value === "" ? "" : JSON.stringify(value, null, 2));

/** What stands in the form while the text is no JSON. */
export class Malformed {
  constructor(readonly message: string) {}
}

export function parsed(text: string): unknown {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch (error) {
    return new Malformed(error instanceof Error ? error.message : "");
  }
}

export type Shape = "object" | "array" | undefined;

/** The text that says what is wrong with a value, if anything is. */
export function jsonFault(value: unknown, shape: Shape): string | undefined {
  if (value instanceof Malformed) return "studio.input.json_invalid";
  if (value === null || value === undefined) return undefined;
  if (shape === "array" && !Array.isArray(value)) return "studio.input.json_array";
  if (shape === "object" && (Array.isArray(value) || typeof value !== "object")) return "studio.input.json_object";
  return undefined;
}
