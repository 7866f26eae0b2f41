// The AI SDK's own transports talking to /api/chat. Arguments: address, token, form (text or ui), questions.
// Prints one line of JSON for each question: the text that was assembled, the chat, and what went wrong.
const { DefaultChatTransport, TextStreamChatTransport, readUIMessageStream } = await import(
  `${process.env.NODE_MODULES}/ai/dist/index.js`
);
const [address, token, form, ...questions] = process.argv.slice(2);
const Transport = form === "ui" ? DefaultChatTransport : TextStreamChatTransport;
// The default transport is left to ask for what it asks for by itself.
const accept = form === "ui" ? {} : { Accept: "text/plain" };

let chat, status;
const transport = new Transport({
  api: `${address}/api/chat`,
  headers: { Authorization: `Bearer ${token}`, ...accept },
  fetch: async (...request) => {
    const response = await fetch(...request);
    chat = response.headers.get("x-chat-id");
    status = response.status;
    return response;
  },
});

const messages = [];
for (const [number, text] of questions.entries()) {
  messages.push({ id: `user-${number}`, role: "user", parts: [{ type: "text", text }] });
  let answer = null, error = null;
  try {
    const stream = await transport.sendMessages({
      chatId: "made-by-the-client", trigger: "submit-message", messageId: undefined, messages, abortSignal: undefined,
    });
    for await (const message of readUIMessageStream({ stream, terminateOnError: true })) answer = message;
  } catch (caught) {
    error = caught.message;
  }
  if (answer) messages.push({ ...answer, id: answer.id || `assistant-${number}` });
  const said = (answer?.parts ?? []).filter((part) => part.type === "text").map((part) => part.text).join("");
  console.log(JSON.stringify({ text: said, messageId: answer?.id, chat, status, error }));
}
