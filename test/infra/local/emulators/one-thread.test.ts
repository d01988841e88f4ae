/** `npm start` on one thread, and with `--isolated`, where the gateway's function has a thread and a function URL. */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, expectTypeOf, test } from "vitest";
import { type GatewayBundle, startOnThisThread } from "#infra/local/emulators/one-thread.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";
import type { openGateway } from "../../../../functions/front/gateway.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function started(options: Parameters<typeof startLocal>[0]): Promise<LocalGateway> {
  const gateway = await startLocal({ ...options, env: { STREAM_WAIT_SCALE: "0.05", ...options?.env } });
  cleanups.push(() => gateway.stop());
  return gateway;
}

async function ask({ url, keys }: LocalGateway, stream: boolean): Promise<Response> {
  return await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.payg}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...{ model: "openai/gpt-5.4", stream, max_tokens: 50 },
      messages: [{ role: "user", content: "ping pong" }],
    }),
  });
}

/** A module that, on SIGUSR2, cannot print, throws outside of any call, and then rejects where nobody listens. */
const throwing = `process.on("SIGUSR2", () => {
  process.stdout.emit("error", Object.assign(new Error("no space left"), { code: "ENOSPC" }));
  setImmediate(() => { throw new Error("thrown out of a call"); });
  setImmediate(() => void Promise.reject(new Error("rejected out of a call")));
});`;

test("both ways of running answer the same, whole and streamed, and log the call", async () => {
  const answers = [];
  for (const args of [[], ["--isolated"]]) {
    const gateway = await started({ args });
    const whole = await ask(gateway, false);
    const { choices, usage } = (await whole.json()) as { choices: object[]; usage: object };
    const streamed = await ask(gateway, true);
    const frames = (await streamed.text()).split("\n\n");
    const id = streamed.headers.get("x-request-id") ?? "";
    expect(id).toMatch(/^req_/);
    const names = [...whole.headers.keys()].filter((name) => name !== "transfer-encoding");
    answers.push({
      choices,
      usage,
      last: frames.slice(-2),
      names: names.filter((name) => name !== "content-length"),
    });
    expect(await gateway.stop()).toBe(0);
    expect(gateway.output()).toContain(id);
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]?.last).toEqual(["data: [DONE]", ""]);
});

test("on one thread, what cannot be printed or is thrown outside of a call is reported, and ends no call", async () => {
  const folder = mkdtempSync(join(tmpdir(), "one-thread-"));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const module = join(folder, "throwing.mjs");
  writeFileSync(module, throwing);
  const gateway = await started({ execArgv: ["--import", module], env: { STREAM_WAIT_SCALE: "1" } });
  const streamed = await ask(gateway, true);
  const reader = streamed.body?.getReader();
  await reader?.read();
  gateway.process.kill("SIGUSR2");
  while (!gateway.output().includes("rejected out of a call"))
    await once(gateway.process.stderr ?? process, "data");
  let text = "";
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
    text += Buffer.from(read.value).toString();
  expect(text).toMatch(/data: \[DONE\]\n\n$/);
  expect(gateway.output()).toContain("no space left");
  expect(gateway.output()).toContain("thrown out of a call");
  expect((await ask(gateway, false)).status).toBe(200);
});

test("whoever stops reading what is printed ends it, as `npm start | head` does", async () => {
  const gateway = await started({});
  const exited = once(gateway.process, "exit");
  gateway.process.stdout?.destroy();
  // The call's log line is the next that is printed. The call may still be cut by the end.
  await ask(gateway, false).catch(() => undefined);
  expect(await exited).toEqual([0, null]);
});

test("the front takes what it is given here", () => {
  expectTypeOf<typeof openGateway>().toExtend<GatewayBundle["openGateway"]>();
});

test("a bundle that is not there is an error of the start", () => {
  const resource = { name: "Gateway", timeoutSeconds: 900 };
  expect(() => startOnThisThread(resource, "/nowhere", {}, () => {})).toThrow("Cannot find module");
});
