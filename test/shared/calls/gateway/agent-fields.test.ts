/** What coding agents send, on each crossing and passed through, whole and streamed (fields.md "What agents send"). */
import { describe, expect, test } from "vitest";
import type { CrossingName } from "#shared/calls/protocols/crossing.ts";
import { type AgentField, agentFields } from "#test/support/agent-fields.ts";
import type { Said } from "#test/support/answered/said.ts";
import { answeredVendors } from "#test/support/answered/vendors.ts";
import { droppedOf, type Speech, speeches, useCrossed } from "#test/support/crossed.ts";

const crossed = useCrossed();

const rooms: Record<Speech, CrossingName> = {
  openai: "openai-chat",
  anthropic: "anthropic",
  gemini: "gemini",
  responses: "openai-responses",
};

const plain: Said = {
  id: "1",
  parts: [{ kind: "text", text: "Hello" }],
  why: "done",
  counts: { fresh: 9, cached: 0, stored: 0, output: 3 },
  odd: {
    ...{ piece: 3, reads: [99], crlf: false, pings: false, extras: false, bare: false },
    ...{ nulls: false, together: false, woven: false, second: false },
  },
};

/** A provider that answers each request, whole or streamed. */
function answerAs(provider: Speech, stream: boolean): void {
  const vendor = answeredVendors[rooms[provider]];
  crossed.upstream.on((_request, response) => {
    response.writeHead(200, { "content-type": stream ? "text/event-stream" : "application/json" });
    response.end(stream ? vendor.frames(plain, []).join("") : JSON.stringify(vendor.whole(plain, [])));
  });
}

async function ask(field: AgentField, provider: Speech, stream: boolean, allowed?: string) {
  answerAs(provider, stream);
  Object.assign(crossed.headers, field.headers, allowed && { "x-gateway-allow-drop": allowed });
  return await crossed.ask(field.client, provider, field.body ?? {}, stream);
}

const rows = agentFields.flatMap((field) =>
  speeches.flatMap((provider) =>
    [false, true].map((stream) => ({ field, provider, stream, name: `${field.client}: ${field.what}` })),
  ),
);

describe("of each client to a provider of another protocol", () => {
  const others = rows.filter(({ field, provider }) => field.client !== provider);

  test.each(others)("$name to $provider, streamed: $stream", async ({ field, provider, stream }) => {
    if (field.refused !== undefined) {
      const refused = await ask(field, provider, stream);
      expect(refused.status).toBe(400);
      expect(refused.text).toContain(field.refused);
      expect(crossed.upstream.requests).toHaveLength(0);
      if (!field.dropped) return;
    }
    const answer = await ask(field, provider, stream, field.refused && "tools");
    expect(answer.status).toBe(200);
    expect(crossed.upstream.requests.at(-1)?.headers).not.toHaveProperty("anthropic-beta");
    if (field.dropped) expect(droppedOf(answer)).toEqual(field.dropped);
    if (field.carried) expect(JSON.stringify(crossed.sent())).toMatch(field.carried.shows);
  });
});

describe("passes as it came to a provider of the client's protocol", () => {
  const own = rows.filter(({ field, provider }) => field.client === provider && field.passes !== false);

  test.each(own)("$name, streamed: $stream", async ({ field, provider, stream }) => {
    const answer = await ask(field, provider, stream);
    expect(answer.status).toBe(200);
    expect(crossed.sent()).toMatchObject(field.body ?? {});
    expect(crossed.upstream.requests.at(-1)?.headers).toMatchObject(field.headers ?? {});
    expect(droppedOf(answer)).toEqual([]);
  });
});
