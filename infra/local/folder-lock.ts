/** One gateway on a folder: a second would take the calls of the first for a dead process's, and close them. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { createServer } from "node:net";

/**
 * Takes the folder until this process ends, however it does: the lock is a name of Linux's abstract sockets,
 * which the kernel forgets with its process, so that `kill -9` leaves none behind. Elsewhere nothing is locked.
 * Throws when another process has the folder.
 */
export async function lockFolder(directory: string): Promise<void> {
  if (process.platform !== "linux") return;
  const name = createHash("sha256").update(realpathSync(directory)).digest("hex");
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    server.listen(`\0model-gateway-${name}`);
    await once(server, "listening");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    throw new Error(
      `DATA_DIR=${directory} belongs to a gateway that runs; ATTACH starts another one beside it`,
      { cause: error },
    );
  }
}
