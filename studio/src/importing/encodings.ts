/** How a file writes its letters: found in its bytes, as the file itself does not say. */

export const ENCODINGS = ["utf-8", "windows-1252", "utf-16le", "utf-16be"] as const;
export type Encoding = (typeof ENCODINGS)[number];

const MARKS: readonly (readonly [Encoding, readonly number[]])[] = [["utf-8", [0xef, 0xbb, 0xbf]], ["utf-16le", [0xff, 0xfe]], ["utf-16be", [0xfe, 0xff]]];
/** Bytes that are looked at, and the part of them that is zero where each letter takes two. */
const LOOKED_AT = 4096;
const HALF_EMPTY = 0.3;

/** The encoding of these bytes: by their mark, by their zeros, or by whether they are UTF-8 at all. */
export function encodingOf(bytes: Uint8Array): Encoding {
  const marked = MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  if (marked) return marked[0];
  const zeros = [0, 0];
  for (let at = 0; at < Math.min(bytes.length, LOOKED_AT); at++) if (bytes[at] === 0) zeros[at % 2]! += 1;
  const letters = Math.min(bytes.length, LOOKED_AT) / 2;
  if (zeros[1]! > letters * HALF_EMPTY) return "utf-16le";
  if (zeros[0]! > letters * HALF_EMPTY) return "utf-16be";
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

/** The text of these bytes, without a byte order mark. */
export const textOf = (bytes: Uint8Array, encoding: Encoding) => new TextDecoder(encoding).decode(bytes);
