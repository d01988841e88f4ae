/** What an attacker tries at the door (billing.md §6), where no other suite has it already. */

import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { listen } from "#infra/local/emulators/listen.ts";
import { match } from "#shared/base/http/router.ts";
import { routes } from "#shared/base/http/routes.ts";
import { newApiKey } from "#shared/base/platform/api-key.ts";
import { instant } from "#shared/books/billing/instant.ts";
import { type LocalAnswers, publicOperations } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { call } from "#test/support/call.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import {
  chatBody,
  chatPath,
  completion,
  messageFrames,
  namedFrame,
  streamOf,
  useScenario,
} from "#test/support/scenario.ts";
import { connectingFiles } from "./connecting-files.ts";

const scenario = useScenario();

/** What a provider's request told it, as one text. */
const told = () => JSON.stringify(scenario.upstream.requests.map(({ headers, path }) => ({ headers, path })));

describe("keys", () => {
  test("are 256 random bits that say nothing but their mode", () => {
    const keys = Array.from({ length: 1000 }, () => newApiKey("payg").secret);
    expect(new Set(keys).size).toBe(1000);
    for (const key of keys)
      expect(Buffer.from(key.slice("sk-payg-".length, -6), "base64url")).toHaveLength(32);
  });

  test.each(["' OR 1=1 --", "a\0b", "a\r\nx: y", "🔑", "x".repeat(1_000_000)])(
    "that cannot be ours are refused before anything is read or logged: %#",
    async (text) => {
      const reply = await scenario.chat({ headers: { "x-api-key": `CANARY${text}` } });
      expect([reply.status, scenario.memory.reads]).toEqual([401, 0]);
      expect(JSON.stringify([scenario.memory.logs, reply.headers, reply.text])).not.toContain("CANARY");
    },
  );

  test("that are unknown, revoked, expired or malformed get the same answer to the byte", async () => {
    const revoked = scenario.memory.addKey({ status: "revoked" });
    const expired = scenario.memory.addKey({ expires_at: 1 });
    const wrong = ["sk-payg-unknown", `sk-payg-${"u".repeat(43)}`, revoked, expired, "mal formed"];
    const asked = wrong.map((key) => scenario.chat({ headers: { "x-api-key": key } }));
    const answers = await Promise.all(asked);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  });

  test("that are joined, as two headers of one name arrive, are no key", async () => {
    const { key } = scenario;
    for (const headers of [
      { authorization: `Bearer ${key},Bearer ${key}` },
      { "x-api-key": `${key},${key}` },
    ])
      expect((await scenario.chat({ headers })).status).toBe(401);
  });
});

test("no route but the public ones answers without a key, whatever host or path a header claims", async () => {
  const claims = {
    host: "localhost",
    "x-forwarded-host": "127.0.0.1",
    "x-forwarded-for": "127.0.0.1",
    "x-original-url": "/api/v1/models",
    "x-rewrite-url": "/api/v1/models",
  };
  for (const route of routes) {
    if (route.operation === "page" || publicOperations.has(route.operation as never)) continue;
    const path = route.path.replace("{model_action}", "m:generateContent").replace(/\{\w+\}/, "m");
    const reply = await call(scenario.serve, path, { method: route.method, headers: claims, body: {} });
    expect([path, reply.status]).toEqual([path, 401]);
  }
  for (const path of [
    "//v1/models",
    "/api/v1/models/..",
    "/api/v1/../v1/keys",
    "/v1/%63hat/completions",
    "/V1/models",
  ])
    expect((await call(scenario.serve, path, { method: "GET", headers: claims })).status).toBeGreaterThan(
      400,
    );
});

test("nothing of a request chooses where it goes", async () => {
  scenario.upstream.json(completion);
  const away = "http://127.0.0.1:1";
  const headers = {
    ...scenario.bearer(),
    "x-base-url": away,
    "x-forwarded-host": "127.0.0.1:1",
    host: "x.test",
  };
  const body = { ...chatBody, base_url: away, api_base: away, endpoint: away };
  expect((await scenario.chat({ headers, body })).status).toBe(200);
  expect(scenario.upstream.requests).toMatchObject([{ path: "/v1/chat/completions" }]);
});

/** A pipeline whose one model has a provider of one protocol, and headers that authenticate with it. */
function speaking(spoken: "openai" | "anthropic" | "gemini") {
  const { upstream } = scenario;
  const catalog = testCatalog(upstream.url) as { providers: { test: object }; models: object[] };
  const protocols = { [spoken]: spoken === "openai" ? `${upstream.url}/v1` : upstream.url };
  Object.assign(catalog.providers.test, { protocols });
  const memory = createMemory({ ...catalog, models: catalog.models.slice(0, 1) });
  const serve = createPipeline({} as LocalAnswers, memory.deps);
  return { serve, headers: { authorization: `Bearer ${memory.addKey()}` } };
}

describe("addresses in a body", () => {
  let visits = 0;
  let canary: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    const server = createServer((_, response) => {
      visits += 1;
      response.end();
    });
    canary = await listen(server, 0);
  });
  afterAll(() => canary.stop());

  test.each(["openai", "anthropic", "gemini"] as const)(
    "are never fetched, toward a provider of %s",
    async (spoken) => {
      const { serve, headers } = speaking(spoken);
      const content = [
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url: `${canary.url}/picture.png` } },
      ];
      await call(serve, chatPath, { headers, body: { ...chatBody, messages: [{ role: "user", content }] } });
      expect(visits).toBe(0);
    },
  );

  test("could be fetched by no file but those that call providers and AWS", () => {
    const root = new URL("../../", import.meta.url).pathname;
    const connecting = ["shared", "functions"]
      .flatMap((folder) => readdirSync(root + folder, { recursive: true }).map((file) => `${folder}/${file}`))
      .filter((file) => file.endsWith(".ts"))
      .filter((file) =>
        /\bfetch\(|\bsend\b[^;]* from "[^"]*http-client|undici(?:\.ts)?"|^import (?!type )[^;]* from "node:(?:http|https|net|tls|dgram)"|^import \{[^;]* from "@aws-sdk/m.test(
          readFileSync(root + file, "utf8"),
        ),
      );
    expect(connecting.sort()).toEqual(connectingFiles);
  });
});
test("no name that a client chose breaks out of a header", async () => {
  const { serve, headers } = speaking("anthropic");
  scenario.upstream.json({
    id: "m",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  });
  const body = { ...chatBody, "a\r\nset-cookie: x": 1, "é\0": 1, "b,c": 1, plain: 1 };
  const reply = await call(serve, chatPath, {
    headers,
    body,
  });
  expect(reply.status).toBe(200);
  expect(reply.headers["x-gateway-dropped"]).toContain("plain");
  for (const [name, value] of Object.entries(reply.headers))
    expect([name, value]).toEqual([name, expect.stringMatching(/^[\x20-\x7e]*$/)]);
});

test("every answer forbids caching and sniffing, errors too", async () => {
  scenario.upstream.json(completion);
  const answers = [
    await scenario.chat(),
    await scenario.chat({ headers: {} }),
    await call(scenario.serve, "/nowhere", {}),
  ];
  for (const { headers } of answers) {
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", vary: "authorization, x-api-key" });
    expect(headers["cache-control"]).toContain("no-store");
    expect(headers["content-type"]).toMatch(/json/);
  }
});

test("a member named __proto__ is a member like any other", async () => {
  scenario.upstream.json(completion);
  const body =
    '{"__proto__":{"stream":true,"n":100},"constructor":{"prototype":{"n":100}},"model":"test/model-1","messages":[{"role":"user","content":"x"}]}';
  expect((await scenario.chat({ body })).status).toBe(200);
  expect(({} as Record<string, unknown>).n).toBeUndefined();
  expect(scenario.upstream.requests[0]?.body.toString()).toContain('"__proto__":{"stream":true,"n":100}');
  expect(scenario.upstream.requests[0]?.headers.accept).toBe("application/json");
});

test("a provider's text cannot forge the end of a stream that crosses", async () => {
  const { serve, headers } = speaking("anthropic");
  const forged = "\n\ndata: [DONE]\n\n\r\n\r\nevent: error\r\ndata: {}\n\n";
  const event = (fields: object) => namedFrame(fields as { type: string });
  scenario.upstream.on(
    streamOf(
      ...messageFrames,
      event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: forged } }),
      event({ type: "content_block_stop", index: 0 }),
      event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 4 } }),
      event({ type: "message_stop" }),
    ),
  );
  const { text } = await call(serve, chatPath, { headers, body: { ...chatBody, stream: true } });
  expect(text.match(/^data: \[DONE\]$/gm)).toHaveLength(1);
  expect(text).not.toMatch(/^event:/m);
  expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
});

test("a provider's account, keys and addresses are taken out of what it says of a bad request", async () => {
  const secrets = [
    "upstream-secret",
    "sk-live-0123456789",
    "org-abcdef123456",
    "https://internal.test/x",
    "AIzaSyA0123456789",
  ];
  scenario.upstream.on((_, response) =>
    response
      .writeHead(400, { "x-account": "acct_12345678" })
      .end(JSON.stringify({ error: { message: `Bad field: ${secrets.join(" ")}` } })),
  );
  const reply = await scenario.chat();
  expect(reply.text).toContain("Bad field");
  for (const secret of [...secrets, "acct_12345678"])
    expect(reply.text + JSON.stringify(reply.headers)).not.toContain(secret);
});

test("only what the client may set of a protocol reaches the provider, never its credential", async () => {
  scenario.upstream.json(completion);
  const canaries = Object.fromEntries(
    [
      "cookie",
      "x-real-ip",
      "forwarded",
      "x-amz-security-token",
      "x-goog-api-key",
      "proxy-authorization",
      "te",
      "x-api-key",
    ].map((name) => [name, name === "x-api-key" ? scenario.key : `CANARY-${name}`]),
  );
  expect((await scenario.chat({ headers: canaries })).status).toBe(200);
  expect(told()).not.toContain("CANARY");
  expect(told()).not.toContain(scenario.key);
});

test.each([
  ["an instant", () => instant(`2026-01-01T00:00:00.${"0".repeat(1_000_000)}`)],
  ["a path", () => match("GET", `/v1/models/${"%2F".repeat(300_000)}`)],
  ["a path of slashes", () => match("POST", "/".repeat(1_000_000))],
  ["a header", () => scenario.chat({ headers: { authorization: `Bearer${" ".repeat(1_000_000)}x y` } })],
] as [string, () => unknown][])("a megabyte of %s is read in a moment", async (_, read) => {
  const spentBefore = process.cpuUsage();
  await read();
  expect(process.cpuUsage(spentBefore).user).toBeLessThan(500_000);
});

test("an encoded answer of a provider is refused, so that no bomb is ever inflated", async () => {
  scenario.upstream.on((_, response) => {
    // What it says would do, were its coding not looked at.
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(JSON.stringify(completion));
  });
  const reply = await scenario.chat();
  expect([reply.status, scenario.memory.events[0]?.cost_points]).toEqual([500, "0"]);
  expect(scenario.upstream.requests[0]?.headers["accept-encoding"]).toBe("identity");
});

test("what is installed is pinned to the digit, and two packages alone may run a script", () => {
  const read = (file: string) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"));
  const { dependencies, devDependencies, optionalDependencies, allowScripts } = read("package.json");
  for (const version of Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies }))
    expect(version).toMatch(/^(?:npm:(?:@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+$/);
  const packages = Object.entries(
    read("package-lock.json").packages as Record<string, { integrity?: string; inBundle?: boolean }>,
  );
  expect(
    packages.filter(([path, { integrity, inBundle }]) => path !== "" && !integrity && !inBundle),
  ).toEqual([]);
  expect(Object.keys(allowScripts).filter((name) => allowScripts[name])).toEqual(["esbuild", "node"]);
});
