/** A provider under the test's control: real sockets, one handler at a time, every request recorded. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface Upstream {
  url: string;
  requests: { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer }[];
  /** What it does with every request from now on. */
  on(handler: Handler): void;
  /** Answers every request with this JSON. */
  json(body: object): void;
  /** Forgets requests and handler. */
  reset(): void;
  stop(): Promise<void>;
}

/** Starts one on a free port. Without a handler it answers 404. */
export async function startUpstream(): Promise<Upstream> {
  let handler: Handler = (_, response) => (response as ServerResponse).writeHead(404).end();
  const requests: Upstream["requests"] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = "", url: path = "", headers } = request;
    requests.push({ method, path, headers, body: Buffer.concat(chunks) });
    await handler(request, response);
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
