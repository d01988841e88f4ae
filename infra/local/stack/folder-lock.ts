/** One gateway per folder: a second one would close the first one's calls, as if that process were dead. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { realpathSync } from "node:fs";
import { createServer } from "node:net";

/**
 * Locks the folder until this process ends, however. The lock is an abstract socket of Linux, which the kernel frees.
 * Other systems lock nothing. Throws when another process has the folder.
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
