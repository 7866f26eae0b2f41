/** What a stream holds; leaving the loop cancels it. */
export async function* pieces<T>(stream: ReadableStream<T>): AsyncGenerator<T, void, undefined> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** The lines of a text that comes in pieces. */
export async function* lines(stream: ReadableStream<string>): AsyncGenerator<string, void, undefined> {
  let rest = "";
  for await (const piece of pieces(stream)) {
    const found = (rest + piece).split("\n");
    rest = found.pop() ?? "";
    yield* found;
  }
  if (rest) yield rest;
}

/** Bytes as text. */
export function decoder(): ReadableWritablePair<string, Uint8Array> {
  return new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
}
