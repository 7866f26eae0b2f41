/** Sign in, with a second factor where the account has one: `node sign-in.js http://localhost:3001 ada@example.com 492039`. */
import { createClient } from "@rowgate/client";

const [baseUrl = "http://localhost:3001", email = "ada@example.com", code = ""] = process.argv.slice(2);

/** The data of an answer, or its error as an exception. */
function good<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const visitor = createClient({ baseUrl });

async function enter(password: string): Promise<string> {
  const entered = good(await visitor.POST("/api/auth/signin", { body: { email, password } }));
  if (!("twoFactorRequired" in entered)) return entered.token;
  console.log(`asked for: ${entered.methods.join(", ")}`);
  const body = { challenge: entered.challenge, code };
  return good(await visitor.POST("/api/auth/two-factor/challenge", { body })).token;
}

const session = createClient({ baseUrl, token: await enter("correct horse battery") });
const current = good(await session.GET("/api/auth/session"));
console.log(`signed in: ${current?.user.email ?? "nobody"}`);
