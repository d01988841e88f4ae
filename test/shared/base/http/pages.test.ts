/** The pages: which file answers, in which encoding, with which headers; and health. */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { digestOf } from "#infra/bundles/bundle-files.ts";
import { packageVersion } from "#infra/bundles/package-version.ts";
import { answerPage } from "#shared/base/http/pages.ts";
import { limits } from "#shared/base/limits.ts";
import { createPipeline, type Pipeline } from "#shared/calls/gateway/pipeline.ts";
import { open } from "#test/support/call.ts";
import { createMemory, testCatalog } from "#test/support/memory.ts";
import { bundledCatalog, pagesFolder } from "#test/support/pages.ts";
import { localAnswers } from "../../../../functions/local-answers.ts";

const { folder, remove } = pagesFolder();
afterAll(remove);

/** What a page answers with, its body unpacked. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const reply = await answerPage({ path, headers }, { pages: folder });
  if (!reply || typeof reply.body === "function") throw new Error(`${path} is no page`);
  const bytes = Buffer.from(reply.body as string);
  const encoding = reply.headers["content-encoding"];
  const text =
    encoding === "br" ? brotliDecompressSync(bytes) : encoding === "gzip" ? gunzipSync(bytes) : bytes;
  return { ...reply, text: text.toString("utf8"), bytes: bytes.length };
}

/** The addresses of this host that a page loads. */
async function loadedBy(path: string): Promise<string[]> {
  const { text } = await ask(path, { accept: "text/html" });
  return [...text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, address = ""]) => address);
}

describe("/", () => {
  test.each([
    [undefined, "application/json"],
    ["*/*", "application/json"],
    ["application/json", "application/json"],
    ["text/html;q=0, application/json", "application/json"],
    ["text/html,application/xhtml+xml,*/*;q=0.8", "text/html; charset=utf-8"],
    ["application/json, TEXT/HTML ; q=0.5", "text/html; charset=utf-8"],
  ])("for accept: %s is %s", async (accept, type) => {
    const { headers } = await ask("/", accept === undefined ? {} : { accept });
    expect(headers["content-type"]).toBe(type);
    expect(headers.vary).toBe("accept, accept-encoding");
  });

  test("says where to read on, and every link of it is a page or a route", async () => {
    const { links } = JSON.parse((await ask("/")).text) as { links: Record<string, string> };
    expect(links).toEqual({
      docs: "/docs",
      openapi: "/openapi.json",
      models: "/api/v1/models",
      health: "/health",
    });
    const { text } = await ask("/", { accept: "text/html" });
    for (const link of [links.docs, links.openapi, links.models]) expect(text).toContain(`href="${link}"`);
  });
});

describe("an encoding", () => {
  test.each([
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=1", "gzip"],
    ["br;q=0.000,gzip;q=0", undefined],
    ["identity", undefined],
    [undefined, undefined],
  ])("for accept-encoding: %s is %s, of the same bytes", async (accepted, encoding) => {
    const plain = await ask("/openapi.json");
    const page = await ask("/openapi.json", accepted === undefined ? {} : { "accept-encoding": accepted });
    expect(page.headers["content-encoding"]).toBe(encoding);
    expect(page.text).toBe(plain.text);
    if (encoding !== undefined) expect(page.bytes).toBeLessThan(plain.bytes / 5);
  });

  test("has an etag of its own, by which the bytes are spared", async () => {
    const tagOf = async (encoding: string) =>
      (await ask("/docs", { "accept-encoding": encoding })).headers.etag ?? "";
    const [br, gzip, plain] = await Promise.all(["br", "gzip", ""].map(tagOf));
    expect(new Set([br, gzip, plain]).size).toBe(3);
    const again = await ask("/docs", { "accept-encoding": "br", "if-none-match": `"other", W/${br}` });
    expect(again).toMatchObject({
      status: 304,
      body: "",
      headers: { etag: br, vary: "accept, accept-encoding" },
    });
    expect((await ask("/docs", { "accept-encoding": "gzip", "if-none-match": br ?? "" })).status).toBe(200);
  });
});

describe("the reference page", () => {
  test("loads files of this host alone, which browsers keep", async () => {
    const { text, headers } = await ask("/docs");
    expect(text).not.toMatch(/(?:src|href)="(?!\/)/);
    expect(text).not.toMatch(/<script>|<style| style=| on\w+=/);
    expect(headers["cache-control"]).toBe("no-cache");
    const files = await loadedBy("/docs");
    expect(files.map((file) => file.replace(/-[0-9a-f]{16}\./, "."))).toEqual([
      "/docs/swagger-ui.css",
      "/docs/page.css",
      "/docs/licences.txt",
      "/docs/swagger-ui.js",
      "/docs/start.js",
    ]);
    for (const file of files) {
      const asset = await ask(file);
      expect(asset.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(asset.text.length).toBeGreaterThan(50);
    }
  });

  test("has the licence and the notice of its library", async () => {
    const file = (await loadedBy("/docs")).find((each) => each.includes("licences")) ?? "";
    const { text } = await ask(file);
    expect(text).toContain("Apache License");
    expect(text).toContain("swagger-ui");
  });

  test.each(["/", "/docs"])(
    "%s: a browser runs nothing of another origin, and frames it nowhere",
    async (path) => {
      const { headers } = await ask(path, { accept: "text/html" });
      const policy = headers["content-security-policy"] ?? "";
      expect(policy).toMatch(/^default-src 'none';/);
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(headers).toMatchObject({ "x-frame-options": "DENY", "referrer-policy": "no-referrer" });
    },
  );

  test.each([
    "none.js",
    "../index.json",
    "%2e%2e/index.json",
    "constructor",
    "__proto__",
    "",
    "openapi.json",
  ])("/docs/%s is no file of it", async (file) => {
    expect(await answerPage({ path: `/docs/${file}`, headers: {} }, { pages: folder })).toBeUndefined();
  });
});

describe("through the pipeline", () => {
  const memory = createMemory(testCatalog("http://127.0.0.1:9"));
  const serveAt = (pages: string): Pipeline => {
    const deps = { ...memory.deps, pages };
    return createPipeline(localAnswers(deps as never), deps);
  };

  test("a page reads no key and no table", async () => {
    const { reply } = await open(serveAt(folder), "/", { method: "GET" });
    expect(reply).toMatchObject({ status: 200, headers: { "x-content-type-options": "nosniff" } });
    expect(reply.headers["x-request-id"]).toMatch(/^req_/);
    expect([memory.reads, memory.holds.length]).toEqual([0, 0]);
  });

  test("a folder that is missing is our fault, and is looked for again", async () => {
    const missing = serveAt(`${folder}/none`);
    for (const _ of [1, 2]) {
      const { reply } = await open(missing, "/docs", { method: "GET" });
      expect(reply.status).toBe(500);
    }
    expect(memory.logs.filter(({ event }) => event === "internal")).toHaveLength(2);
  });

  test("health answers without the folder, and also when no more calls get in", async () => {
    const deps = { ...memory.deps, pages: "nowhere", send: () => new Promise<never>(() => {}) };
    const serve = createPipeline(localAnswers(deps as never), deps);
    const key = memory.addKey();
    const body = { model: "test/model-1", messages: [{ role: "user", content: "Hello" }] };
    const ask = () => open(serve, "/v1/chat/completions", { headers: { "x-api-key": key }, body });
    for (let calls = 0; calls < limits.callsInFlightMax; calls++) void ask();
    const [refused, health] = await Promise.all([ask(), open(serve, "/health", { method: "GET" })]);
    expect([refused.reply.status, health.reply.status]).toEqual([429, 200]);
  });
});

describe("/health", () => {
  test.each([
    [undefined, 200, "ok"],
    [false, 200, "ok"],
    [true, 503, "draining"],
  ])("of a process that drains (%s) is %i", async (draining, status, word) => {
    const reply = await answerPage(
      { path: "/health", headers: {}, ...(draining !== undefined && { draining }) },
      {
        pages: folder,
      },
    );
    expect(reply?.status).toBe(status);
    expect(JSON.parse(String(reply?.body))).toEqual({
      status: word,
      checked: ["process"],
      not_checked: ["tables", "queue", "secrets", "providers"],
      version: packageVersion(),
      catalog: { version: "2026-11-21", digest: digestOf(bundledCatalog) },
    });
  });

  test("needs no folder: a process without it still says that it serves", async () => {
    const reply = await answerPage({ path: "/health", headers: {} }, { pages: "/nowhere" });
    expect(reply?.status).toBe(200);
    expect(JSON.parse(String(reply?.body))).not.toHaveProperty("version");
  });
});
