/** Which language the studio speaks: its own words, those of react-admin, and labels out of the names of fields. */
import polyglotI18nProvider from "ra-i18n-polyglot";
import type { I18nProvider, TranslationMessages } from "react-admin";

import { type Language, english } from "./languages/en";
import { translated } from "./refusals";
import { fieldLabel, humanized } from "./words";

/** The languages; another one is another file beside these. */
const LANGUAGES: Record<string, { name: string; load: () => Promise<Language> }> = {
  en: { name: "English", load: () => Promise.resolve(english) },
  de: { name: "Deutsch", load: async () => (await import("./languages/de")).german },
};
const LOCALE = "rowgate.locale";

function preferred(): string {
  const wished = [localStorage.getItem(LOCALE), ...navigator.languages].map((each) => each?.slice(0, 2) ?? "");
  return wished.find((each) => each in LANGUAGES) ?? "en";
}

/** The provider, once the language of this reader is there. */
export async function createI18nProvider(): Promise<I18nProvider> {
  const first = preferred();
  const loaded = new Map<string, Language>([["en", english], [first, await LANGUAGES[first]!.load()]]);
  const locales = Object.entries(LANGUAGES).map(([locale, { name }]) => ({ locale, name }));
  const messages = (locale: string) => (loaded.get(locale) ?? english).messages as unknown as TranslationMessages;
  const load = (locale: string) =>
    loaded.has(locale)
      ? messages(locale)
      : LANGUAGES[locale]!.load().then((language) => {
          loaded.set(locale, language);
          return messages(locale);
        });
  const polyglot = polyglotI18nProvider(load as (locale: string) => TranslationMessages, first, locales, { allowMissing: true });
  document.documentElement.lang = first;
  return {
    ...polyglot,
    translate: (key: string, options?: object) =>
      named(key, options, loaded.get(polyglot.getLocale()) ?? english) ?? polyglot.translate(key, options),
    changeLocale: async (locale: string, options?: object) => {
      await polyglot.changeLocale(locale, options);
      localStorage.setItem(LOCALE, locale);
      document.documentElement.lang = locale;
    },
  };
}

/** Where the notes of fields are, which are sentences. */
const NOTE = "note.";
/** Where the headings are that models give to parts of their pages. */
const SECTION = "section.";

/** Labels of models, fields, values and domains: by the language's own words, or out of the name. */
function named(key: string, options: object | undefined, { names }: Language): string | undefined {
  if (key.startsWith(NOTE)) return names.notes[key.slice(NOTE.length)] ?? key.slice(NOTE.length);
  if (key.startsWith(SECTION)) return names.sections[key.slice(SECTION.length)] ?? key.slice(SECTION.length);
  if (key.includes(" ")) return translated(key, names);
  const [kind, first = "", second = "", third = ""] = key.split(".");
  if (kind === "resources" && second === "name") {
    const { smart_count: count = 1 } = (options ?? {}) as { smart_count?: number };
    return modelName(first, count, names);
  }
  if (kind === "resources" && second === "fields") return names.fields[third] ?? fieldLabel(third);
  if (kind === "domain") return names.domains[first] ?? humanized(first);
  if (kind === "value") return names.values[`${first}.${second}`] ?? names.values[second] ?? humanized(isShouted(second) ? second.toLowerCase() : second);
  return undefined;
}

/** Whether a value is written in capitals alone, as some enumerations are. */
const isShouted = (value: string) => value === value.toUpperCase();

function modelName(resource: string, count: number, names: Language["names"]): string {
  const known = names.models[resource];
  if (known) return known[count === 1 ? 0 : 1];
  const singular = humanized(resource.split("/")[1] ?? resource);
  return count === 1 ? singular : plural(singular);
}

function plural(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}
