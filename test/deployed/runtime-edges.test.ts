/** The gateway's bundle in AWS's own Node runtime: an answer without a body, and parts that cannot be loaded. */
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMeterUpkeep } from "#shared/edges/store/meters/upkeep.ts";
import { openCustomer } from "#test/support/customer.ts";
import { type Emulators, startEmulators } from "#test/support/emulators.ts";
import { testCatalog } from "#test/support/memory.ts";
import { type Runtime, startRuntime } from "#test/support/runtime.ts";

const scratch = mkdtempSync(join(tmpdir(), "runtime-edges-"));
let emulators: Emulators;
let gateway: Runtime;
beforeAll(async () => {
  // The provider speaks one protocol, so that calls in all others are translated.
  const catalog = testCatalog("") as { providers: { test: { protocols: object } } };
  catalog.providers.test.protocols = { openai: "http://127.0.0.1:9/v1" };
  emulators = await startEmulators(catalog, { TEST_API_KEY: "upstream-secret" });
  const { directory, ...bundle } = emulators.functionNamed("Gateway");
  cpSync(directory, scratch, { recursive: true });
  gateway = await startRuntime({ ...bundle, directory: scratch });
});
afterAll(async () => {
  await gateway?.stop();
  await emulators?.stop();
  rmSync(scratch, { recursive: true });
});

/** The event of a call without a body. */
function eventOf(method: string, path: string, headers: Record<string, string> = {}): unknown {
  return {
    version: "2.0",
    rawPath: path,
    rawQueryString: "",
    headers,
    requestContext: { http: { method, path } },
    isBase64Encoded: false,
  };
}

test("a preflight leaves with its status, its headers and nothing else", async () => {
  const answer = await gateway.invoke(
    eventOf("OPTIONS", "/v1/messages", {
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-api-key",
    }),
  );
  expect(answer).toMatchObject({
    status: 204,
    headers: { "access-control-allow-origin": "*", "access-control-allow-headers": "x-api-key" },
  });
  expect(await text(answer.body)).toBe("");
});

/** Takes a part away from the bundle. Gives what puts it back. */
function takeAway(name: string): () => void {
  const [part = ""] = readdirSync(scratch).filter((file) => file.startsWith(`${name}-`));
  renameSync(join(scratch, part), join(scratch, "gone"));
  return () => renameSync(join(scratch, "gone"), join(scratch, part));
}

/** The status and the JSON of an answer. */
async function ask(event: unknown): Promise<{ status: number; body: unknown }> {
  const { status, body } = await gateway.invoke(event);
  return { status, body: JSON.parse(await text(body)) };
}

test("an operation whose code cannot be loaded fails in its own form, and runs as soon as it can be", async () => {
  const putBack = takeAway("local-operations");
  const models = "/api/v1/models";
  expect(await ask(eventOf("GET", models))).toMatchObject({ status: 500, body: { error: { code: 50000 } } });
  putBack();
  expect(await ask(eventOf("GET", models))).toMatchObject({ status: 200 });
  // An error that the part throws is the pipeline's own class of errors.
  expect(await ask(eventOf("GET", `${models}/none`))).toMatchObject({ status: 404 });
});

test("a call whose translation cannot be loaded fails in its own form and holds nothing", async () => {
  const customer = await openCustomer(emulators, "100");
  const meters = createMeterUpkeep(emulators.aws, emulators.tables);
  const call = {
    ...(eventOf("POST", "/v1/messages", {
      "x-api-key": customer.key,
      "content-type": "application/json",
    }) as object),
    body: JSON.stringify({
      model: "test/model-1",
      max_tokens: 10,
      messages: [{ role: "user", content: "Say hello." }],
    }),
  };
  const putBack = takeAway("translation");
  const failure = (message: string) => ({ status: 500, body: { error: { type: "api_error", message } } });
  expect(await ask(call)).toMatchObject(failure("An internal error occurred."));
  expect((await meters.readMeter(customer.meter, 0))?.holds.size).toBe(0);
  putBack();
  // Nobody listens where the provider should be.
  expect(await ask(call)).toMatchObject(failure("The model's provider failed."));
});
