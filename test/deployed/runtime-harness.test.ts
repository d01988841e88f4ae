/**
 * What a function must never do, seen by the harness: were it blind to these, the tests of our own bundles
 * (runtime.test.ts) would prove nothing.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it } from "vitest";
import { type RuntimeOptions, startRuntime } from "#test/support/runtime.ts";

const scratch = mkdtempSync(join(tmpdir(), "runtime-harness-"));
afterAll(() => rmSync(scratch, { recursive: true }));

describe("the harness", () => {
  it("sees a function die of a response stream that is destroyed with an error", async () => {
    const runtime = await startRuntime(
      scratchFunction(
        "dies",
        'await pipeline(async function* () { yield "begun"; throw new Error(); }, stream);',
      ),
    );
    await expect(runtime.invoke({}).then(({ body }) => text(body))).rejects.toThrow();
    expect(await runtime.exited).toBe(1);
    await expect(runtime.invoke({})).rejects.toThrow("ended with code 1");
    await runtime.stop();
  });

  it("sees an error after the first byte", async () => {
    const runtime = await startRuntime(
      scratchFunction("throws", 'stream.write("begun"); throw new RangeError("late");'),
    );
    const answer = await runtime.invoke({});
    expect(await text(answer.body)).toBe("begun");
    expect(answer.failure()).toBe("RangeError");
    await runtime.stop();
  });

  it("sees status and headers lost where nothing is written before the end", async () => {
    const runtime = await startRuntime(scratchFunction("forgets", "stream.end();"));
    expect((await runtime.invoke({})).status).toBe(200);
    await runtime.stop();
  });
});

/** A function that answers 418, if its body lets it. */
function scratchFunction(name: string, body: string): RuntimeOptions {
  const directory = join(scratch, name);
  mkdirSync(directory);
  writeFileSync(
    join(directory, "index.mjs"),
    `import { pipeline } from "node:stream/promises";
    export const handler = awslambda.streamifyResponse(async (event, raw) => {
      const stream = awslambda.HttpResponseStream.from(raw, { statusCode: 418, headers: {} });
      ${body}
    });`,
  );
  return { directory, handler: "index.handler", environment: {} };
}
