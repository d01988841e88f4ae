/**
 * What stands between one client and the gateway: it changes nothing, counts requests, and answers
 * questions about them.
 */
import { once } from "node:events";
import {
  Agent,
  createServer,
  request as forward,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

/** One request of the client and the status it came to. */
export interface Passed {
  method: string;
  path: string;
  status: number;
  headers: IncomingHttpHeaders;
  /** What the client sent. */
  body: Buffer;
  /** When it came, in milliseconds of `performance.now()`. */
  at: number;
}

interface Front {
  url: string;
  /** Every request of the client, in order of its answers. */
  passed: Passed[];
  /** How many requests have come, answered or not. */
  count(): number;
  stop(): Promise<void>;
}

/** Where a client's program asks about its own requests and the providers' record. */
export const controlPath = "/-";

/**
 * Starts a front on a free port that passes everything on to `target`, but for `controlPath`. There `/requests` says
 * how many requests came, and how many seconds passed between the last one and the answer before it. `/sent` says
 * whether some request to a provider held all given texts.
 */
export async function startFront(target: string, wasSent: (texts: string[]) => boolean): Promise<Front> {
  const passed: Passed[] = [];
  let count = 0;
  let endedAt = 0;
  let pause = 0;
  const agent = new Agent({ keepAlive: true });
  const server = createServer(async (incoming, outgoing) => {
    const path = incoming.url ?? "";
    if (path === `${controlPath}/requests`) return json(outgoing, { count, pause });
    if (path === `${controlPath}/sent`) {
      const { texts } = JSON.parse((await bodyOf(incoming)).toString()) as { texts: string[] };
      return json(outgoing, { found: wasSent(texts) });
    }
    count += 1;
    pause = (performance.now() - endedAt) / 1000;
    const { method = "GET", headers } = incoming;
    const at = performance.now();
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    const sent = forward(target + path, { method, headers, agent }, (reply) => {
      passed.push({ method, path, status: reply.statusCode ?? 0, headers, body: Buffer.concat(chunks), at });
      outgoing.writeHead(reply.statusCode ?? 502, reply.rawHeaders);
      reply.pipe(outgoing);
      reply.once("end", () => (endedAt = performance.now()));
      reply.on("error", () => outgoing.destroy());
    });
    sent.on("error", () => outgoing.destroy());
    // A client that hangs up is hung up on, as a proxy does.
    outgoing.on("close", () => outgoing.writableFinished || sent.destroy());
    incoming.pipe(sent);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    count: () => count,
    async stop() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The whole body of a request. */
export async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Answers with JSON. */
export function json(
  response: ServerResponse,
  body: object,
  status = 200,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
