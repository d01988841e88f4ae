/** Two edges of the gateway's bundle in AWS's own Node runtime: an answer without a body, and a part that cannot be loaded. */
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Emulators, startEmulators } from "#test/support/emulators.ts";
import { testCatalog } from "#test/support/memory.ts";
import { type Runtime, startRuntime } from "#test/support/runtime.ts";

const scratch = mkdtempSync(join(tmpdir(), "runtime-edges-"));
let emulators: Emulators;
let gateway: Runtime;
beforeAll(async () => {
  emulators = await startEmulators(testCatalog("http://127.0.0.1:9"), {});
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

test("an operation whose code cannot be loaded fails in its own form, and runs as soon as it can be", async () => {
  const [part = ""] = readdirSync(scratch).filter((name) => name.startsWith("local-operations-"));
  renameSync(join(scratch, part), join(scratch, "gone"));
  const ask = async (path: string) => {
    const { status, body } = await gateway.invoke(eventOf("GET", path));
    return { status, body: JSON.parse(await text(body)) };
  };
  const models = "/api/v1/models";
  expect(await ask(models)).toMatchObject({ status: 500, body: { error: { code: 50000 } } });
  renameSync(join(scratch, "gone"), join(scratch, part));
  expect(await ask(models)).toMatchObject({ status: 200 });
  // An error that the part throws is the pipeline's own class of errors.
  expect(await ask(`${models}/none`)).toMatchObject({ status: 404 });
});
