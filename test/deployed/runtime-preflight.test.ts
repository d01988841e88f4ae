/** A preflight in AWS's own Node runtime: an answer without a body keeps its status and headers. */
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Emulators, startEmulators } from "#test/support/emulators.ts";
import { testCatalog } from "#test/support/memory.ts";
import { type Runtime, startRuntime } from "#test/support/runtime.ts";

let emulators: Emulators;
let gateway: Runtime;
beforeAll(async () => {
  emulators = await startEmulators(testCatalog("http://127.0.0.1:9"), {});
  gateway = await startRuntime(emulators.functionNamed("Gateway"));
});
afterAll(async () => {
  await gateway?.stop();
  await emulators?.stop();
});

test("a preflight leaves with its status, its headers and nothing else", async () => {
  const answer = await gateway.invoke({
    version: "2.0",
    rawPath: "/v1/messages",
    rawQueryString: "",
    headers: {
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-api-key",
    },
    requestContext: { http: { method: "OPTIONS", path: "/v1/messages" } },
    isBase64Encoded: false,
  });
  expect(answer).toMatchObject({
    status: 204,
    headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "x-api-key" },
  });
  expect(await text(answer.body)).toBe("");
});
