/** The way out of a session: a proxy that refuses everything, and tells which hosts were asked for. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Starts it on a free port. `asked` gives the hosts, each once. */
export async function startRefusingProxy() {
  const hosts = new Set<string>();
  const server = createServer((request, response) => {
    hosts.add(URL.canParse(request.url ?? "") ? new URL(request.url ?? "").host : (request.url ?? ""));
    response.writeHead(403).end();
  });
  server.on("connect", (request, socket) => {
    // A program may be gone before its answer is.
    socket.on("error", () => {});
    hosts.add(request.url ?? "");
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => [...hosts].map((host) => host.replace(/:443$/, "")),
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
