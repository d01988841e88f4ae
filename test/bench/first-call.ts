/**
 * The first calls of a fresh sandbox, in AWS's own runtime client. An empty function beside it shows what the client
 * itself takes.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { environmentOf } from "#infra/local/stack/function-environment.ts";
import { readReadyFile } from "#infra/local/stack/ready-file.ts";
import { readResources } from "#infra/local/stack/resources.ts";
import { templateIn } from "#infra/local/stack/synthesis.ts";
import { readTemplate } from "#infra/local/stack/template.ts";
import type { LocalGateway } from "#test/support/local.ts";
import { type RuntimeOptions, startRuntime } from "#test/support/runtime.ts";
import { requests } from "./provider.ts";
import { cpuByThread } from "./resources.ts";
import { spreadOf } from "./spread.ts";

export interface FirstCalls {
  name: string;
  /** Milliseconds of CPU until Lambda would hand out the first call, and of that call and the second one. */
  start: number;
  first: number;
  second: number;
}

type Sample = Omit<FirstCalls, "name">;

const rounds = 7;

/** Measures the gateway's function over the stand-ins of a local gateway, and an empty function. */
export async function measureFirstCalls({ readyFile, keys }: LocalGateway): Promise<FirstCalls[]> {
  const { endpoints } = readReadyFile(readyFile);
  const { functions } = readResources(readTemplate(templateIn(endpoints.assembly)), endpoints.assembly);
  const front = functions.find(({ hasUrl }) => hasUrl);
  if (!front) throw new Error("template: there is no function URL");
  const folder = mkdtempSync(join(tmpdir(), "empty-function-"));
  try {
    writeFileSync(join(folder, "index.mjs"), emptyFunction);
    const sides = [
      { ...front, name: "Gateway", environment: environmentOf(front.environment, endpoints) },
      { name: "empty function", directory: folder, handler: "index.handler", environment: {} },
    ].map((options) => ({ options, samples: [] as Sample[] }));
    for (let round = 0; round < rounds; round++) {
      for (const { options, samples } of sides) samples.push(await startAndCall(options, keys.payg));
    }
    return sides.map(({ options: { name }, samples }) => {
      const median = (figure: keyof Sample) =>
        spreadOf(samples.map((one) => one[figure]))?.median ?? Number.NaN;
      return { name, start: median("start"), first: median("first"), second: median("second") };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const emptyFunction = `export const handler = awslambda.streamifyResponse(async (event, raw) => {
  const stream = awslambda.HttpResponseStream.from(raw, { statusCode: 200, headers: {} });
  stream.write("{}");
  stream.end();
});`;

async function startAndCall(options: RuntimeOptions, key: string): Promise<Sample> {
  const runtime = await startRuntime(options);
  try {
    const used = () =>
      1000 * [...(cpuByThread(runtime.pid)?.values() ?? [])].reduce((sum, one) => sum + one, 0);
    const start = used();
    const call = async () => {
      const before = used();
      const { status, body, done } = await runtime.invoke(eventOf(key));
      await buffer(body);
      await done;
      if (status !== 200) throw new Error(`a call was answered with ${status}`);
      return used() - before;
    };
    return { start, first: await call(), second: await call() };
  } finally {
    await runtime.stop();
  }
}

/** The event of a function URL (aws.md §1.5). */
function eventOf(key: string): unknown {
  const path = "/v1/chat/completions";
  return {
    version: "2.0",
    rawPath: path,
    rawQueryString: "",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    requestContext: { http: { method: "POST", path } },
    body: requests.whole,
    isBase64Encoded: false,
  };
}
