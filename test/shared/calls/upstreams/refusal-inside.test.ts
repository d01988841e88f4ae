/**
 * A refusal inside of a 200, in every vendor's form, told to the clients of every protocol. Where it comes first it is a
 * 400. Where it comes later it is the last frame of the client's own protocol. It counts against no channel, asks no
 * other one, and is billed by what came.
 */
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import type { ReadyChannel } from "#shared/books/catalog/catalog.ts";
import { RequestBlamed } from "#shared/calls/upstreams/fault.ts";
import { refusalInside } from "#shared/calls/upstreams/read-refusal.ts";
import { framesIn, framesOf, modelOf, type Speech, speeches, useCrossed } from "#test/support/crossed.ts";
import { begun, type Refusal, refusals } from "#test/support/refusals-inside.ts";
import { sse } from "#test/support/scenario.ts";

type Json = Record<string, unknown>;
const crossed = useCrossed();
const places = ["whole", "whole for a stream", "first", "later"] as const;
type Place = (typeof places)[number];
const json = { "content-type": "application/json" };

test.each([
  [400, "RequestBlamed"],
  [503, "ProviderFault"],
])("an error inside of a 200 whose own status is %d is read by that status", (code, name) => {
  const body = Buffer.from(JSON.stringify({ error: { code, message: "zzz" } }));
  const form = "openai";
  const fault = refusalInside(body, {
    confidential: { secrets: ["sk-1"], base_url: "https://a.test" },
    sides: { client: form, provider: form, same_fields: true },
    carried: { ids: false },
  });
  const told = fault instanceof RequestBlamed ? fault.told : fault.facts.told;
  expect([fault.constructor.name, told?.upstream_status]).toEqual([name, code]);
});

/** Answers as a provider that refuses in this place. */
async function answer(response: ServerResponse, speech: Speech, { event }: Refusal, place: Place) {
  if (place.startsWith("whole")) {
    const whole = (event.response as Json | undefined) ?? event;
    response.writeHead(200, json).end(JSON.stringify(whole));
    return;
  }
  response.writeHead(200, sse);
  if (place === "later") {
    response.write(framesOf(speech, begun[speech]).join(""));
    // The two must not come in one read: then the refusal would be the first thing that is known. The gateway runs in this
    // process too, and each turn of the loop looks at its sockets before it comes back here.
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  }
  response.end(framesOf(speech, [event]).join(""));
}

/** Asks a model with two channels whose first one refuses. */
async function refused(client: Speech, provider: Speech, refusal: Refusal, place: Place) {
  const channels = crossed.memory.deps.catalog.find(modelOf(provider))?.channels as ReadyChannel[];
  if (channels.length === 1) channels.push({ ...channels[0], id: "second", priority: 2 } as ReadyChannel);
  crossed.forget();
  crossed.upstream.on((_, response) => void answer(response, provider, refusal, place));
  const reply = await crossed.ask(client, provider, {}, place !== "whole");
  const { windows } = await crossed.memory.boards.read(modelOf(provider), Date.now());
  const faults = windows.flatMap(({ channels }) => Object.values(channels)).map(({ faults = 0 }) => faults);
  return { reply, faults: faults.filter((count) => count > 0), asked: crossed.upstream.requests.length };
}

/** What each client's vendor calls it, in the error that stands in the body or in the last frames. */
const told: Record<Speech, (refusal: Refusal) => Json> = {
  openai: ({ code }) => ({ code }),
  responses: ({ code }) => ({ code }),
  anthropic: ({ says }) => ({ type: "invalid_request_error", message: says }),
  gemini: () => ({ code: 400, status: "INVALID_ARGUMENT" }),
};

const pairs = speeches.flatMap((client) => speeches.map((provider) => [client, provider] as const));

describe.each(pairs)("%s ← %s", (client, provider) => {
  test.each(refusals[provider].map((refusal) => [refusal.name, refusal] as const))(
    "%s is a 400 wherever it stands",
    async (_, refusal) => {
      const expected = expect.objectContaining(told[client](refusal)) as unknown;
      for (const place of places) {
        if (refusal.not === place) continue;
        const { reply, faults, asked } = await refused(client, provider, refusal, place);
        expect([place, asked, faults]).toEqual([place, 1, []]);
        const [event] = crossed.memory.events;
        expect(event).toMatchObject({ error: "invalid_request" });
        if (place !== "later") {
          expect([place, reply.status, reply.json().error]).toEqual([place, 400, expected]);
          expect([reply.headers["x-should-retry"], event?.cost_points]).toEqual(["false", "0"]);
          continue;
        }
        expect(reply.status).toBe(200);
        const frames = framesIn(reply.text);
        const error = frames.find((frame) => "error" in frame)?.error;
        expect([place, error]).toEqual([place, expected]);
        // A response that has only been created has brought nothing. The others have brought a word.
        expect(event?.outcome).toBe(provider === "responses" ? "failed" : "truncated");
      }
    },
  );
});

describe("a Responses stream that failed", () => {
  const failedOf = (text: string) =>
    framesIn(text).find(({ type }) => type === "response.failed") as {
      response: Json & { error: Json };
    };

  test("says so as its response too, which is all that Codex reads", async () => {
    for (const provider of speeches) {
      const [tooLong] = refusals[provider] as [Refusal, ...Refusal[]];
      const { reply } = await refused("responses", provider, tooLong, "later");
      const [created] = framesIn(reply.text) as { response: Json }[];
      const { response } = failedOf(reply.text);
      const error = expect.objectContaining({ code: "context_length_exceeded" }) as unknown;
      expect(response).toEqual({ ...created?.response, status: "failed", output: [], error });
      // SDKs throw at the error, and read no further.
      expect(framesIn(reply.text).map(({ type }) => type)).toContain("error");
      expect(reply.text.indexOf("event: error")).toBeLessThan(reply.text.indexOf("event: response.failed"));
    }
  });

  test("by a filter has the code at which Codex ends, and not one after which it asks again", async () => {
    const filtered = refusals.anthropic.find(({ code }) => code === "content_filter") as Refusal;
    const { reply } = await refused("responses", "anthropic", filtered, "later");
    expect(failedOf(reply.text).response.error.code).toBe("invalid_prompt");
  });

  test("by a fault of its provider may be asked again", async () => {
    const event = { error: { message: "It broke.", type: "server_error" } };
    const { reply, faults } = await refused("responses", "openai", { name: "", event, code: "" }, "later");
    expect(failedOf(reply.text).response.error).toMatchObject({ code: "server_error" });
    expect(faults).toEqual([1]);
  });
});
