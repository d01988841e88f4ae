/**
 * SDKs in a browser: a page of another origin may ask the gateway and read its answers, without a key being asked for.
 */
import { connect } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { routes } from "#shared/base/http/routes.ts";
import type { Deps } from "#shared/calls/gateway/deps.ts";
import type { LocalAnswers } from "#shared/calls/gateway/local-answers.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { openBrowser } from "#test/shared/base/http/browser.ts";
import { type Answer, call } from "#test/support/call.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";

let gateway: LocalGateway;
beforeAll(async () => {
  gateway = await startLocal({ env: { STREAM_WAIT_SCALE: "0.05" } });
});
afterAll(() => gateway?.stop());

const model = "openai/gpt-5.4-mini";
const messages = [{ role: "user" as const, content: "Say hello." }];

describe("in a browser", () => {
  test("OpenAI's SDK answers, streams, and shows errors with their request", async () => {
    const browser = openBrowser();
    const client = (apiKey: string) =>
      new OpenAI({
        apiKey,
        baseURL: `${gateway.url}/v1`,
        dangerouslyAllowBrowser: true,
        fetch: browser.fetch,
        maxRetries: 0,
      });
    const answer = await client(gateway.keys.payg).chat.completions.create({ model, messages });
    expect(answer._request_id).toMatch(/^req_/);
    const { data: stream, response } = await client(gateway.keys.free)
      .chat.completions.create({ model, messages, max_tokens: 50, stream: true })
      .withResponse();
    expect((await Array.fromAsync(stream)).length).toBeGreaterThan(1);
    for (const name of ["x-request-id", "x-ratelimit-remaining-requests", "x-gateway-provider"])
      expect(response.headers.get(name), name).toBeTruthy();
    const error = await client("sk-payg-wrong")
      .models.list()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect((error as InstanceType<typeof OpenAI.APIError>).requestID).toMatch(/^req_/);
    expect(browser.asked[0]?.headers).toEqual(
      expect.arrayContaining(["authorization", "content-type", "x-stainless-lang"]),
    );
  });

  test("Anthropic's SDK answers, streams, and shows errors with their request", async () => {
    const browser = openBrowser();
    const client = (apiKey: string) =>
      new Anthropic({
        apiKey,
        baseURL: gateway.url,
        dangerouslyAllowBrowser: true,
        fetch: browser.fetch,
        maxRetries: 0,
      });
    const asked = { model, max_tokens: 100, messages };
    expect((await client(gateway.keys.payg).messages.create(asked))._request_id).toMatch(/^req_/);
    const stream = client(gateway.keys.payg).messages.stream(asked);
    expect((await stream.finalMessage()).content.length).toBeGreaterThan(0);
    expect(stream.request_id).toMatch(/^req_/);
    const error = await client("sk-payg-wrong")
      .messages.create(asked)
      .catch((thrown: unknown) => thrown);
    expect((error as InstanceType<typeof Anthropic.APIError>).requestID).toMatch(/^req_/);
    expect(browser.asked[0]?.headers).toContain("anthropic-dangerous-direct-browser-access");
  });

  test("Google's SDK answers and streams", async () => {
    const browser = openBrowser(globalThis.fetch);
    vi.spyOn(globalThis, "fetch").mockImplementation(browser.fetch);
    try {
      const { models } = new GoogleGenAI({
        apiKey: gateway.keys.payg,
        httpOptions: { baseUrl: `${gateway.url}/api` },
      });
      expect((await models.generateContent({ model, contents: "Hi" })).text).toBeTruthy();
      const chunks = await Array.fromAsync(await models.generateContentStream({ model, contents: "Hi" }));
      expect(chunks.length).toBeGreaterThan(1);
      expect(browser.asked[0]?.headers).toContain("x-goog-api-key");
    } finally {
      vi.restoreAllMocks();
    }
  });

  test("a page reads what stands behind a key, and makes, changes and revokes none", async () => {
    const browser = openBrowser();
    const headers = { authorization: `Bearer ${gateway.keys.manager}`, "content-type": "application/json" };
    const ask = (method: string, path: string) =>
      browser.fetch(gateway.url + path, { method, headers }).then(
        ({ status }) => status,
        () => "refused",
      );
    expect(await ask("GET", "/api/v1/keys")).toBe(200);
    expect(await ask("GET", "/api/business/v1/customer/balance")).toBe(200);
    expect(await ask("POST", "/api/v1/keys")).toBe("refused");
    expect(await ask("PATCH", "/api/v1/keys/key_1")).toBe("refused");
    expect(await ask("DELETE", "/api/v1/keys/key_1")).toBe("refused");
    // A page that asks without a preflight cannot read what comes back.
    const made = await fetch(`${gateway.url}/api/v1/keys`, { method: "POST", headers, body: "{}" });
    expect(made.headers.get("access-control-allow-origin")).toBeNull();
  });
});

test("a preflight has no body, and leaves its connection open for the request", async () => {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  const has = async (part: string) => {
    await expect.poll(() => text).toContain(part);
    const [head = ""] = text.split("\r\n\r\n");
    const rest = text.slice(head.length + 4);
    text = "";
    return [head.toLowerCase(), rest] as const;
  };
  const host = `Host: ${hostname}\r\nOrigin: https://app.example\r\n`;
  socket.write(
    `OPTIONS /v1/messages HTTP/1.1\r\n${host}Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: x-api-key,x-stainless-os\r\n\r\n`,
  );
  const [head, rest] = await has("\r\n\r\n");
  expect(head).toMatch(/^http\/1\.1 204 /);
  expect(rest).toBe("");
  expect(head).toContain("\r\naccess-control-allow-origin: *\r\n");
  expect(head).toContain("\r\naccess-control-allow-headers: x-api-key,x-stainless-os\r\n");
  expect(head).toMatch(/\r\naccess-control-max-age: \d+\r\n/);
  expect(head).toMatch(/\r\nx-request-id: req_/);
  socket.write(`POST /v1/messages HTTP/1.1\r\n${host}Content-Length: 0\r\nConnection: close\r\n\r\n`);
  const [refused] = await has('"authentication_error"');
  expect(refused).toMatch(/^http\/1\.1 401 /);
  expect(refused.match(/access-control-allow-origin: \*/g)).toHaveLength(1);
  socket.destroy();
});

describe("a preflight", () => {
  /** Whatever would be asked of the world. */
  const nobody = new Proxy({} as Deps, {
    get(_, name) {
      // What a process remembers of keys is its own: whoever looks a key up asks another port for it.
      if (name === "keys") return;
      throw new Error(`asked for ${String(name)}`);
    },
  });
  const serve = createPipeline({} as LocalAnswers, nobody);
  const asking = (method: string, path: string, more: Record<string, string> = {}): Promise<Answer> =>
    call(serve, path, {
      method: "OPTIONS",
      headers: { origin: "https://app.example", "access-control-request-method": method, ...more },
    });
  const pathOf = (path: string) => path.replace(/\{[^}]+\}/, "some-1");

  test.each(routes.map(({ method, path, operation }) => [method, pathOf(path), operation] as const))(
    "asks nobody: %s %s",
    async (method, path, operation) => {
      const { status, headers, text } = await asking(method, path);
      const open = !/^(?:create|change|revoke|rotate|disable|enable)_key$/.test(operation);
      expect(status).toBe(open ? 204 : 405);
      expect(headers["access-control-allow-origin"]).toBe(open ? "*" : undefined);
      if (open) expect(text).toBe("");
    },
  );

  test.each([
    ["GET", "/api/v1/keys"],
    ["GET", "/api/v1/keys/key_1"],
    ["PATCH", "/api/v1/keys"],
  ])("gives leave for the method that it asks for alone: %s %s", async (method, path) => {
    expect((await asking(method, path)).headers["access-control-allow-methods"]).toBe(method);
  });

  test("of a path that is none is answered too, so that the page reads the 404", async () => {
    expect((await asking("POST", "/v1/files")).status).toBe(204);
    const { status, headers } = await call(serve, "/v1/files", { headers: {} });
    expect([status, headers["access-control-allow-origin"]]).toEqual([404, "*"]);
  });

  test.each([{ origin: "https://app.example" }, { "access-control-request-method": "POST" }, {}])(
    "is one only with origin and method: %j",
    async (headers) => {
      const answer = await call(serve, "/v1/messages", {
        method: "OPTIONS",
        headers: headers as Record<string, string>,
      });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe("POST");
    },
  );

  test.each(["x-a\r\nset-cookie: a", "x-a;b", "", `x-${"a".repeat(5_000)}`, "x-a,,x-b"])(
    "is not told again what is no list of names (%#)",
    async (asked) => {
      const { headers } = await asking("POST", "/v1/messages", { "access-control-request-headers": asked });
      expect(headers["access-control-allow-headers"]).toBeUndefined();
    },
  );
});
