/**
 * A server for looking at pages: the console's own files, and answers of the right form with made-up numbers. It is for
 * looking only. What is tested is the product (README.md).
 */

import { mkdtempSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeConsole } from "#infra/bundles/console-assets.ts";
import { createAssets } from "#shared/edges/console/assets.ts";
import { type MockAnswer, mockAnswers } from "./mock-answers.ts";

/** Serves until the process ends. Gives the address. Port 0 takes a free one. */
export async function startMock(port = 0): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "console-"));
  writeConsole(folder);
  const settings = {
    gateway_url: "http://127.0.0.1:8787",
    kinds: ["phone", "email"],
    countries: ["+86", "+852", "+1"],
    registration: "open",
    inbox_url: "http://127.0.0.1:8790/",
  } as const;
  const asset = createAssets({ folder: join(folder, "console"), settings });
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://mock");
    const headers = request.headers as Record<string, string | undefined>;
    const method = request.method ?? "GET";
    const file = await asset({ id: "req_mock", method, path: url.pathname, headers });
    if (file) {
      response.writeHead(file.status, file.headers).end(file.body as Buffer);
      return;
    }
    await answer(request, response, url);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", () => resolve()));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : port}`;
}

async function answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
  let text = "";
  for await (const chunk of request) text += chunk;
  const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
  const asked = {
    method: request.method ?? "GET",
    path: url.pathname,
    query: url.searchParams,
    body,
    headers: request.headers,
  };
  const found: MockAnswer = mockAnswers(asked);
  const type = typeof found.body === "string" ? "text/csv" : "application/json";
  response.writeHead(found.status ?? 200, {
    "content-type": type,
    "x-request-id": "req_01KB3Q7M4V8F2N6C0T9XWZ5YHD",
    ...found.headers,
  });
  response.end(typeof found.body === "string" ? found.body : JSON.stringify(found.body ?? null));
}

if (import.meta.main) console.log(await startMock(Number(process.env.PORT ?? 8791)));
