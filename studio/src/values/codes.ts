/** Countries, languages and currencies by their codes, with the names that the browser knows. */

export type CodeType = "country" | "language" | "currency";

const LETTERS = [..."abcdefghijklmnopqrstuvwxyz"];
// Groups of countries and parts of one, which the service takes for none.
const NO_COUNTRIES = ["AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"];
// Those of several parts that are met most often; others can be typed.
const VARIANTS = ["en-GB", "en-US", "es-MX", "fr-CA", "pt-BR", "pt-PT", "zh-Hans", "zh-Hant"];
const KINDS = { country: "region", language: "language", currency: "currency" } as const;

const namers = new Map<string, Intl.DisplayNames>();
function namer(type: CodeType, locale: string): Intl.DisplayNames {
  const key = `${type} ${locale}`;
  const made = namers.get(key) ?? new Intl.DisplayNames(locale, { type: KINDS[type], fallback: "none" });
  namers.set(key, made);
  return made;
}

/** The name of a code; the code itself where it is not known. */
export function codeName(type: CodeType, code: string, locale: string): string {
  try {
    return namer(type, locale).of(code) ?? code;
  } catch {
    return code;
  }
}

const lists = new Map<CodeType, readonly string[]>();

/** The codes that one chooses among: those of two letters that have a name, or the currencies in use. */
export function codesOf(type: CodeType): readonly string[] {
  const made = lists.get(type) ?? (type === "currency" ? Intl.supportedValuesOf("currency") : ofTwoLetters(type));
  lists.set(type, made);
  return made;
}

function ofTwoLetters(type: CodeType): readonly string[] {
  const pairs = LETTERS.flatMap((one) => LETTERS.map((other) => one + other));
  const codes = type === "country" ? pairs.map((pair) => pair.toUpperCase()).filter((code) => !NO_COUNTRIES.includes(code)) : [...pairs, ...VARIANTS];
  return codes.filter((code) => namer(type, "en").of(code));
}
