/** Replies with the wrong content type. SDKs choose their reader by the content type (protocols.md §1.3). */
import { describe, expect, test } from "vitest";
import { call } from "#test/support/call.ts";
import {
  chatBody,
  chatPath,
  completion,
  delta,
  frame,
  sse,
  usage,
  useScenario,
} from "#test/support/scenario.ts";

const scenario = useScenario();
const routes: [path: string, body: object][] = [
  [chatPath, chatBody],
  ["/v1/embeddings", { model: "test/embedding-1", input: "x" }],
  ["/api/v1/images/generations", { model: "test/image-1", prompt: "A cat" }],
];

describe("a stream in place of a whole reply", () => {
  test.each(routes)("is the provider's failure: %s", async (path, body) => {
    const frames = [delta("Hi"), frame({ choices: [], usage }), frame("[DONE]")];
    scenario.upstream.on((_, response) => response.writeHead(200, sse).end(frames.join("")));
    const reply = await call(scenario.serve, path, { headers: scenario.bearer(), body });
    expect([reply.status, reply.headers["content-type"]]).toEqual([500, "application/json"]);
    expect(reply.json()).toMatchObject({ error: { code: "50001" } });
    expect(scenario.memory.events[0]).toMatchObject({ outcome: "failed", cost_points: "0" });
  });
});

describe("a whole reply", () => {
  const types: [given: string | undefined, told: string][] = [
    [undefined, "application/json"],
    ["text/plain; charset=utf-8", "application/json"],
    ["application/json; charset=utf-8", "application/json; charset=utf-8"],
    ["application/vnd.acme+json", "application/vnd.acme+json"],
  ];

  test.each(types)("of type %s leaves as %s", async (given, told) => {
    scenario.upstream.on((_, response) => {
      response.writeHead(200, given ? { "content-type": given } : {}).end(JSON.stringify(completion));
    });
    const reply = await scenario.chat();
    expect([reply.status, reply.headers["content-type"], reply.json()]).toEqual([200, told, completion]);
  });
});
