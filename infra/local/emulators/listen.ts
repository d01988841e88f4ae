import type { Server } from "node:http";

export interface Listening {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  url: string;
  port: number;
  stop(): Promise<void>;
}

/** Opens a server on loopback only; port 0 picks a free one. Rejects when the port is taken. */
export function listen(server: Server, port: number): Promise<Listening> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenError(error, port)));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const bound = typeof address === "object" && address ? address.port : port;
      resolve({ url: `http://127.0.0.1:${bound}`, port: bound, stop: () => close(server) });
    });
  });
}

/** What was started, which the disposal of `parts` stops. */
export async function endingWith<Started extends { stop(): Promise<void> }>(
  parts: AsyncDisposableStack,
  starting: Promise<Started>,
): Promise<Started> {
  const started = await starting;
  parts.defer(() => started.stop());
  return started;
}

/** What a user is told when a port cannot be opened. */
export function listenError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code !== "EADDRINUSE") return error;
  return new Error(`port ${port} is taken; --port 0 picks a free one`, { cause: error });
}

/** Closes at once: idle and busy connections are cut. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
