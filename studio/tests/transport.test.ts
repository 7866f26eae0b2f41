/** How requests leave: again after a moment where the service has no room for them. */
import { beforeEach, describe, expect, it, vi } from "vitest";

import { send } from "../src/session/transport";

vi.mock("../src/session/bearer", () => ({ current: async () => ({ token: "t" }), renew: vi.fn(), SignedOut: class extends Error {} }));

const busy = (status: number, after: string) => new Response("{}", { status, headers: { "Retry-After": after } });
const read = () => new Request("http://localhost/api/v1/crm/deal");

/** The answers that the service gives, one after the other. */
function answering(...answers: Response[]) {
  const asked = vi.fn(async () => answers.shift()!);
  vi.stubGlobal("fetch", asked);
  return asked;
}

/** The status that a request comes back with, on a clock of its own. */
async function status(request: Request): Promise<number> {
  const answer = send(request);
  await vi.runAllTimersAsync();
  return (await answer).status;
}

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

describe("what the service has no room for", () => {
  it.each([429, 503])("is sent again after the time that it asks for (%i)", async (refusal) => {
    const asked = answering(busy(refusal, "1"), new Response("[]"));
    expect(await status(read())).toBe(200);
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it("is given up after a few tries", async () => {
    const asked = answering(busy(429, "1"), busy(429, "1"), busy(429, "1"), busy(429, "1"));
    expect(await status(read())).toBe(429);
    expect(asked).toHaveBeenCalledTimes(4);
  });

  it("is answered at once where the time is long or not told", async () => {
    for (const answer of [busy(429, "40"), new Response("{}", { status: 503 })]) {
      const asked = answering(answer);
      expect(await status(read())).toBe(answer.status);
      expect(asked).toHaveBeenCalledTimes(1);
    }
  });

  it("is not sent again where that could do it twice", async () => {
    const asked = answering(busy(503, "1"));
    expect(await status(new Request("http://localhost/api/v1/crm/deal", { method: "POST", body: "{}" }))).toBe(503);
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
