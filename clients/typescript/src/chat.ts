import { type Connection, RowgateError, credentials } from "./index.js";
import type { components } from "./schema.js";

export type ChatQuestion = components["schemas"]["ChatQuestion"];

/** An answer while it comes. */
export interface ChatAnswer extends AsyncIterable<string> {
  /** The chat that the question and its answer are kept in; send it as `id` to go on. */
  chatId: string;
}

/**
 * Ask, and read the answer piece by piece. Leave the loop, or abort `signal`, and the service stops answering.
 * Throws RowgateError when there is no answer.
 */
export async function streamChat(
  connection: Connection,
  question: ChatQuestion,
  options: { signal?: AbortSignal } = {},
): Promise<ChatAnswer> {
  const response = await fetch(`${connection.baseUrl}/api/chat`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(await credentials(connection)) },
    body: JSON.stringify(question),
    ...options,
  });
  if (!response.ok || response.body === null) throw await RowgateError.of(response);
  const text = response.body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>);
  return { chatId: response.headers.get("x-chat-id") ?? "", [Symbol.asyncIterator]: () => pieces(text) };
}

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
