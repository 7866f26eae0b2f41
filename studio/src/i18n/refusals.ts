/** What the service says against something, which it says in English, in the words of a language. */
import type { Names } from "./languages/en";

type Pattern = readonly [RegExp, string];

const patterns = new WeakMap<Names, readonly Pattern[]>();

/** The sentences of a language, those that say most first. */
function patternsOf(names: Names): readonly Pattern[] {
  const known = patterns.get(names);
  if (known) return known;
  const made = Object.entries(names.refusals)
    .sort(([one], [other]) => other.replaceAll("{}", "").length - one.replaceAll("{}", "").length)
    .map(([said, text]) => [new RegExp(`^${said.split("{}").map((part) => part.replace(/[.*+?^$()|[\]\\]/g, "\\$&")).join("(.+)")}$`), text] as const);
  patterns.set(names, made);
  return made;
}

/** The sentences of a text in the words of the language; undefined where it has none for it. */
export function translated(text: string, names: Names): string | undefined {
  const whole = one(text, names);
  if (whole !== undefined) return whole;
  const sentences = text.split(/(?<=\.) /);
  const known = sentences.map((sentence) => one(sentence, names));
  return sentences.length > 1 && known.some(Boolean) ? sentences.map((sentence, place) => known[place] ?? sentence).join(" ") : undefined;
}

function one(sentence: string, names: Names): string | undefined {
  for (const [pattern, text] of patternsOf(names)) {
    const found = pattern.exec(sentence);
    if (found) return found.slice(1).reduce((filled, part) => filled.replace("{}", () => one(part, names) ?? names.fields[part] ?? part), text);
  }
  return undefined;
}
