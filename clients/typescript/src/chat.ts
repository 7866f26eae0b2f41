import { type Connection, address, credentials } from "./connection.js";
import { RowgateError } from "./errors.js";
import type { components } from "./schema.js";
import { decoder, pieces } from "./streams.js";

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
  const response = await fetch(address(connection, "/api/chat"), {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(await credentials(connection)) },
    body: JSON.stringify(question),
    ...options,
  });
  if (!response.ok || response.body === null) throw await RowgateError.of(response);
  const text = response.body.pipeThrough(decoder());
  return { chatId: response.headers.get("x-chat-id") ?? "", [Symbol.asyncIterator]: () => pieces(text) };
}
