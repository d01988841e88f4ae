/** A loopback proxy before DynamoDB that changes what passes: the seat of mutants, which the product has none of. */
import { once } from "node:events";
import { createServer, request as forward } from "node:http";
import type { AddressInfo } from "node:net";

export interface Proxy {
  url: string;
  stop(): Promise<void>;
}

/** Forwards to `target`; `change` may rewrite the input of each action. */
export async function startProxy(
  target: string,
  change: (action: string, input: Record<string, unknown>) => void,
): Promise<Proxy> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const action = String(incoming.headers["x-amz-target"]).split(".")[1] ?? "";
    const input = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
    change(action, input);
    const body = JSON.stringify(input);
    const headers = { ...incoming.headers, "content-length": String(Buffer.byteLength(body)) };
    const sent = forward(target, { method: "POST", headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
      reply.pipe(outgoing);
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
