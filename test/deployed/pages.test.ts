import { buffer } from "node:stream/consumers";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pages } from "#infra/bundles/pages.ts";
import { variables } from "#shared/base/platform/env.ts";
import { catalogFile } from "#test/support/default-catalog.ts";
import { functionNamed, openStack } from "#test/support/kept-stack.ts";
import { testCatalog } from "#test/support/memory.ts";
import { openApi } from "#test/support/openapi.ts";
import { type Runtime, startRuntime } from "#test/support/runtime.ts";
import { buildServer, type ServerProcess, startServer } from "#test/support/server.ts";

const parts = new AsyncDisposableStack();
afterAll(() => parts.disposeAsync());

/** Nobody listens there: a page that asked AWS for anything would fail. */
const environment = {
  ...Object.fromEntries(Object.values(variables).map((name) => [name, "1"])),
  AWS_ENDPOINT_URL: "http://127.0.0.1:9",
};

const script = pages().find(({ name }) => name.startsWith("docs-swagger-ui-") && name.endsWith(".js"));
const scriptPath = `/docs/${script?.name.replace("docs-", "")}`;

describe("the function", () => {
  let runtime: Runtime;

  beforeAll(async () => {
    const stack = await openStack(catalogFile, (remove) => parts.defer(remove));
    runtime = await startRuntime({ ...functionNamed(stack, "Gateway"), environment });
    parts.defer(runtime.stop);
  });

  /** One event, its answer read to its end. */
  async function ask(method: string, path: string, headers: Record<string, string> = {}) {
    const requestContext = { http: { method, path } };
    const answer = await runtime.invoke({
      version: "2.0",
      rawPath: path,
      rawQueryString: "",
      headers,
      requestContext,
    });
    const body = await buffer(answer.body);
    await answer.done;
    return { ...answer, body };
  }

  it("answers each page out of its folder, and asks AWS for nothing", async () => {
    expect(JSON.parse(String((await ask("GET", "/health")).body))).toMatchObject({ status: "ok" });
    expect(JSON.parse(String((await ask("GET", "/openapi.json")).body))).toEqual(openApi);
    const welcome = await ask("GET", "/", { accept: "text/html" });
    expect([welcome.status, welcome.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect((await ask("GET", "/docs/none.js")).status).toBe(404);
  });

  it("gives the largest file with its bytes unchanged, compressed and plain", async () => {
    const packed = await ask("GET", scriptPath, { "accept-encoding": "gzip, br" });
    expect(packed.headers["content-encoding"]).toBe("br");
    expect(brotliDecompressSync(packed.body).equals(script?.bytes ?? Buffer.alloc(0))).toBe(true);
    const plain = await ask("GET", scriptPath);
    expect(plain.body.equals(script?.bytes ?? Buffer.alloc(0))).toBe(true);
  });

  it("answers HEAD with the headers of GET and no body", async () => {
    for (const path of ["/", "/openapi.json", scriptPath]) {
      const [head, get] = [await ask("HEAD", path), await ask("GET", path)];
      const own = { "x-request-id": "" };
      expect({ ...head.headers, ...own }).toEqual({ ...get.headers, ...own });
      expect([head.status, head.body.length, get.body.length > 100]).toEqual([200, 0, true]);
    }
  });

  it("spares what the client has already", async () => {
    const { headers } = await ask("GET", "/docs");
    const again = await ask("GET", "/docs", { "if-none-match": headers.etag ?? "" });
    expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, headers.etag]);
  });
});

describe("the server", () => {
  let server: ServerProcess;

  beforeAll(async () => {
    const { folder, remove } = buildServer(testCatalog("http://127.0.0.1:9"));
    parts.defer(remove);
    server = await startServer(folder, environment);
    parts.defer(async () => void (await server.end("SIGTERM")));
  });

  it("answers the same pages, HEAD and 304 too", async () => {
    expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({ status: "ok" });
    expect(await (await fetch(`${server.url}/openapi.json`)).json()).toEqual(openApi);
    const asset = await fetch(server.url + scriptPath);
    expect(Buffer.from(await asset.arrayBuffer()).equals(script?.bytes ?? Buffer.alloc(0))).toBe(true);
    const head = await fetch(`${server.url}/docs`, { method: "HEAD", headers: { "accept-encoding": "br" } });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(Number(head.headers.get("content-length"))).toBeGreaterThan(100);
    const etag = head.headers.get("etag") ?? "";
    const again = await fetch(`${server.url}/docs`, {
      headers: { "accept-encoding": "br", "if-none-match": etag },
    });
    expect([again.status, await again.text(), again.headers.get("content-length")]).toEqual([304, "", null]);
  });
});
