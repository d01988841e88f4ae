/**
 * A provider under the test's control: real sockets, one handler at a time, every request recorded. A model that is
 * named as a real one is refused what the real one refuses, whatever the handler would say (`strictness.ts`).
 */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type DemoHeaders, isObject } from "#infra/local/demo/strictness/rule.ts";
import { refusalAt } from "#infra/local/demo/strictness.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface Upstream {
  url: string;
  requests: { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer }[];
  /** What it does with every request from now on. */
  on(handler: Handler): void;
  /** Answers every request with this JSON. */
  json(body: object): void;
  /** From now on refuses nothing by itself: for bodies that no vendor would take, and are not about one. */
  takesAll(): void;
  /** Forgets requests and handler. */
  reset(): void;
  stop(): Promise<void>;
}

/** Starts one on a free port. Without a handler it answers 404. */
export async function startUpstream(): Promise<Upstream> {
  let handler: Handler = (_, response) => (response as ServerResponse).writeHead(404).end();
  let isStrict = true;
  const requests: Upstream["requests"] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = "", url: path = "", headers } = request;
    const body = Buffer.concat(chunks);
    requests.push({ method, path, headers, body });
    const refusal = isStrict ? refusalOfBytes(path, body, headers) : undefined;
    if (!refusal) return await handler(request, response);
    response.writeHead(refusal.status, { "content-type": "application/json" });
    response.end(JSON.stringify(refusal.body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    on: (next) => (handler = next),
    json(body) {
      handler = (_, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    },
    takesAll() {
      isStrict = false;
    },
    reset() {
      requests.length = 0;
      handler = (_, response) => response.writeHead(404).end();
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** What the vendor answers to a body as it came; what is no JSON object is refused nothing here. */
function refusalOfBytes(path: string, bytes: Buffer, headers: DemoHeaders) {
  try {
    const body: unknown = JSON.parse(bytes.toString() || "{}");
    return isObject(body) ? refusalAt(path, body, headers) : undefined;
  } catch {
    return undefined;
  }
}
