/** Words for people out of the names of programs: `expectedCloseAt` is "Expected close". */

const ABBREVIATIONS = new Map(
  ["id", "url", "api", "ip", "ai", "rag", "crm", "json", "csv", "sha256", "http", "oauth", "llm", "sso", "k"].map((word) => [
    word, word === "oauth" ? "OAuth" : word === "sha256" ? "SHA-256" : word.toUpperCase(),
  ]),
);

function spaced(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[\s_-]+/)
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()));
}

function sentence(words: readonly string[]): string {
  const told = words.map((word) => ABBREVIATIONS.get(word) ?? word).join(" ");
  return told.charAt(0).toUpperCase() + told.slice(1);
}

/** A name in words, as a label. */
export function humanized(name: string): string {
  return sentence(spaced(name));
}

/** The label of a field: without what its type says already, such as the `At` of moments and the `Id` of references. */
export function fieldLabel(name: string): string {
  const words = spaced(name);
  const last = words.at(-1) ?? "";
  const isUnit = words.length > 1 && ["id", "at", "ms", "micros", "bytes", "percent", "base64"].includes(last);
  const shown = isUnit ? words.slice(0, -1) : words;
  return sentence(shown[0] === "is" && shown.length > 1 ? shown.slice(1) : shown);
}
