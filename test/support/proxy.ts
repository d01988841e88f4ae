/** A loopback proxy before DynamoDB that changes what passes: the seat of mutants, which the product has none of. */
import { once } from "node:events";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";

interface Proxy {
  url: string;
  stop(): Promise<void>;
}

/** An error answer of DynamoDB, given in its place. */
export interface Refusal {
  status: number;
  body: object;
}

/**
 * Forwards to `target`. `change` may rewrite the input of each action, or give an answer in DynamoDB's place;
 * `answered` is told of each answer that DynamoDB gave.
 */
export async function startProxy(
  target: string,
  change: (action: string, input: Record<string, unknown>) => Refusal | undefined,
  answered: (action: string, answer: Record<string, unknown>) => void = () => {},
): Promise<Proxy> {
  const bodyOf = async (message: AsyncIterable<Buffer>) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const server = createServer(async (incoming, outgoing) => {
    const action = String(incoming.headers["x-amz-target"]).split(".")[1] ?? "";
    const input = JSON.parse(await bodyOf(incoming)) as Record<string, unknown>;
    const refusal = change(action, input);
    if (refusal) {
      outgoing.writeHead(refusal.status).end(JSON.stringify(refusal.body));
      return;
    }
    const body = JSON.stringify(input);
    const headers = { ...incoming.headers, "content-length": String(Buffer.byteLength(body)) };
    const sent = forward(target, { method: "POST", headers }, async (reply) => {
      const text = await bodyOf(reply);
      // SQS answers some actions with nothing.
      answered(action, JSON.parse(text || "{}") as Record<string, unknown>);
      outgoing.writeHead(reply.statusCode ?? 500, reply.headers).end(text);
    });
    sent.on("error", () => outgoing.destroy());
    sent.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
