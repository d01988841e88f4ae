/** The console's files as its function serves them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeConsole } from "#infra/bundles/console-assets.ts";
import { contentSecurityPolicy, createAssets } from "#shared/edges/console/assets.ts";
import type { ConsoleSettings } from "#shared/edges/console/settings.ts";
import { consoleDocument } from "#test/support/openapi.ts";

const scratch = mkdtempSync(join(tmpdir(), "assets-"));
const settings: ConsoleSettings = {
  gateway_url: "https://gateway.example",
  kinds: ["phone" as const],
  countries: ["+86"],
  registration: "open",
};
const serve = createAssets({ folder: join(scratch, "console"), settings });
beforeAll(() => writeConsole(scratch));
afterAll(() => rmSync(scratch, { recursive: true }));

const browser = { accept: "text/html,application/xhtml+xml", "accept-encoding": "gzip, deflate, br" };
const ask = (path: string, headers: Record<string, string> = browser, method = "GET") =>
  serve({ id: "req_1", method, path, headers });

async function text(path: string, headers: Record<string, string> = {}): Promise<string> {
  return String((await ask(path, { ...headers, accept: "text/html" }))?.body);
}

/** The address of the page's script. */
const script = async () => /src="([^"]+)"/.exec(await text("/"))?.[1] ?? "";

test("the OpenAPI document is at the top, for programs and browsers alike", async () => {
  const reply = await ask("/openapi.json", {});
  expect(reply).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
  expect(JSON.parse(String(reply?.body))).toEqual(consoleDocument.openApi);
  const etag = reply?.headers.etag ?? "";
  expect(await ask("/openapi.json", { "if-none-match": etag })).toMatchObject({ status: 304 });
  expect(await ask("/openapi.json")).toMatchObject({ headers: { "content-encoding": "br" } });
  expect(await ask("/openapi.json", browser, "POST")).toBeUndefined();
});

describe("the page", () => {
  test.each(["/", "/usage", "/calls/req_1", "/join", "/calls/a/b"])("is what %s opens", async (path) => {
    const reply = await ask(path);
    expect(reply).toMatchObject({
      status: 200,
      headers: {
        ...{ "content-type": "text/html; charset=utf-8", "cache-control": "no-cache" },
        ...{ "content-encoding": "br", "x-request-id": "req_1", "x-content-type-options": "nosniff" },
        ...{ "x-frame-options": "DENY", "referrer-policy": "no-referrer" },
        "content-security-policy": contentSecurityPolicy(settings.gateway_url),
      },
    });
    expect(brotliDecompressSync(reply?.body as Buffer).toString()).toContain('<div id="app">');
  });

  test("is what any other path opens in a browser too, with 404; a program gets the pipeline's answer", async () => {
    for (const path of ["/nothing", "//", "//api/v1/account"])
      expect(await ask(path), path).toMatchObject({ status: 404 });
    expect(await ask("/nothing", { ...browser, "if-none-match": "*" })).toMatchObject({ status: 404 });
    expect(await ask("/nothing", { accept: "application/json" })).toBeUndefined();
  });

  test("is not sent again to who has it", async () => {
    const etag = (await ask("/"))?.headers.etag ?? "";
    expect(await ask("/usage", { ...browser, "if-none-match": etag })).toMatchObject({
      status: 304,
      body: "",
    });
    expect(await ask("/", { ...browser, "if-none-match": '"other"' })).toMatchObject({ status: 200 });
  });

  test("is there in every encoding", async () => {
    const gzip = await ask("/", { ...browser, "accept-encoding": "gzip, br;q=0" });
    expect(gzip?.headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(gzip?.body as Buffer).toString()).toBe(await text("/"));
  });

  test("names the stage's settings, as text and never as markup", async () => {
    const hostile = '"><script>alert(1)</script>$&&quot;';
    const other = createAssets({
      folder: join(scratch, "console"),
      settings: { ...settings, gateway_url: "http://127.0.0.1:1", inbox_url: hostile },
    });
    const reply = await other({ id: "req_1", method: "GET", path: "/", headers: { accept: "text/html" } });
    const page = String(reply?.body);
    expect(page).not.toContain("<script>alert");
    const attribute = /name="settings" content="([^"]*)"/.exec(page)?.[1] ?? "";
    const unescaped = attribute.replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
    expect(JSON.parse(unescaped)).toMatchObject({ inbox_url: hostile });
  });
});

test("a file is kept for good, because its name has the hash of its bytes", async () => {
  const path = await script();
  const reply = await ask(path, { "accept-encoding": "br" });
  expect(reply).toMatchObject({
    status: 200,
    headers: {
      ...{ "cache-control": "public, max-age=31536000, immutable", "content-encoding": "br" },
      ...{ "content-type": "text/javascript; charset=utf-8", "x-content-type-options": "nosniff" },
    },
  });
  expect(await ask(path, {}, "HEAD")).toMatchObject({ status: 200 });
});

test.each([
  ["a file that is not there", "/assets/main-00000000.js"],
  ["a path out of the folder", "/assets/../index.html"],
  ["the same, encoded", "/assets/..%2findex.html"],
  ["a member of every object", "/assets/constructor"],
  ["the compressed file itself", "/assets/index.html.br"],
  ["the API", "/api/v1/nothing"],
])("%s is no file", async (_, path) => {
  expect(await ask(path)).toBeUndefined();
});

test("only GET and HEAD get files", async () => {
  expect(await ask("/", browser, "POST")).toBeUndefined();
  expect(await ask("/", browser, "HEAD")).toMatchObject({ status: 200 });
});

describe("the policy", () => {
  test("lets the page load our own files, and ask us and the gateway", () => {
    expect(contentSecurityPolicy("https://g.example/base/").split("; ")).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self' https://g.example",
      "worker-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types worker",
    ]);
  });

  test("names no gateway where none is known", () => {
    expect(contentSecurityPolicy("")).toContain("connect-src 'self';");
  });
});
