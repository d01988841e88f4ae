/**
 * Every route on the wire against its goldens in `golden/routes`: a request and its exact answer, written by hand
 * from the contract.
 *
 * In a golden, `*` stands for any value, and `*string` and `*number` for any value of that type. `{id}` in a path
 * stands for a key, and `{request}` for a call that was made before. `provider` is what the scripted provider
 * answers, as JSON or as the frames of a stream; without it, the gateway may send nothing. A reply in messages of AWS's
 * event streams is a list of them.
 */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { messagesOf } from "#test/support/event-stream.ts";
import { type LocalGateway, type Ready, startLocal } from "#test/support/local.ts";
import { catalogAt, completion, expectCleanAudit, post, providerKey } from "#test/support/money.ts";
import { withMultimodal } from "#test/support/surfaces.ts";
import { startUpstream, type Upstream } from "#test/support/upstream.ts";
import { withVideo } from "#test/support/video.ts";

interface Golden {
  method: string;
  path: string;
  key: keyof Ready["keys"] | null;
  /** Headers of the request beside the key, in which `{key}` is the key. */
  ask?: Record<string, string>;
  body?: object;
  provider?: { status: number; body: object } | { status: number; frames: string[] };
  status: number;
  headers?: Record<string, string>;
  reply: unknown;
}

/** Where nobody listens: no task made here can be sent to the scripted provider behind another golden's back. */
const nowhere = "http://127.0.0.1:9";
const folder = new URL("../../../golden/routes/", import.meta.url);
const goldens = readdirSync(folder).map((file): [name: string, golden: Golden] => [
  file.replace(/\.json$/, ""),
  JSON.parse(readFileSync(new URL(file, folder), "utf8")),
]);

let upstream: Upstream;
let gateway: LocalGateway;
let keyId: string;
let requestId: string;

/** The manager's organization makes one call and one key, which its goldens report, list and revoke. */
beforeAll(async () => {
  upstream = await startUpstream();
  const catalog = withMultimodal(withVideo(catalogAt(upstream.url), nowhere), upstream.url);
  gateway = await startLocal({ catalog, env: providerKey });
  upstream.json(completion);
  requestId = (await post(gateway.url, gateway.keys.manager)).headers.get("x-request-id") ?? "";
  const made = await send("POST", "/api/v1/keys", gateway.keys.manager, { billing_mode: "payg" });
  keyId = ((await made.json()) as { id: string }).id;
  await expectCleanAudit(gateway);
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

function send(
  method: string,
  path: string,
  key: string | null,
  body?: object,
  ask: Record<string, string> = {},
): Promise<Response> {
  const credential = key ? { authorization: `Bearer ${key}` } : {};
  const headers = { "content-type": "application/json", ...credential, ...ask };
  return fetch(gateway.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}

/** A golden value as vitest compares it: marks become matchers, and objects have exactly these keys. */
function expected(value: unknown): unknown {
  if (value === "*") return expect.toSatisfy(() => true);
  if (value === "*string") return expect.any(String);
  if (value === "*number") return expect.any(Number);
  if (Array.isArray(value)) return value.map(expected);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expected(member)]));
}

async function read(reply: Response): Promise<unknown> {
  const type = reply.headers.get("content-type") ?? "";
  if (type.endsWith("eventstream")) return messagesOf(Buffer.from(await reply.arrayBuffer()));
  return type.includes("json") ? await reply.json() : await reply.text();
}

test.each(goldens)("%s", async (_, golden) => {
  upstream.reset();
  const { provider } = golden;
  if (provider) {
    upstream.on((_, response) => {
      const streams = "frames" in provider;
      const type = streams ? "text/event-stream" : "application/json";
      response.writeHead(provider.status, { "content-type": type });
      response.end(streams ? provider.frames.join("") : JSON.stringify(provider.body));
    });
  }
  const key = golden.key && gateway.keys[golden.key];
  const path = golden.path.replace("{id}", keyId).replace("{request}", requestId);
  const ask = Object.fromEntries(
    Object.entries(golden.ask ?? {}).map(([name, value]) => [name, value.replace("{key}", key ?? "")]),
  );
  const reply = await send(golden.method, path, key, golden.body, ask);
  const body = await read(reply);
  expect([reply.status, body]).toStrictEqual([golden.status, expected(golden.reply)]);
  expect(Object.fromEntries(reply.headers)).toMatchObject(expected(golden.headers ?? {}) as object);
  expect(upstream.requests.length > 0).toBe(provider !== undefined);
});
