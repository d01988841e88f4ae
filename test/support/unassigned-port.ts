/** A port that a test gives away, or expects to be free later. */
import { randomInt } from "node:crypto";
import { createServer } from "node:http";
import { listen } from "#infra/local/emulators/listen.ts";

/** Linux gives the ports from 32,768 on to whoever asks for any port, and macOS those from 49,152 on. */
const first = 20_000;
const end = 32_768;
const attempts = 50;

/**
 * A loopback port that nobody has now, and that the system gives to nobody by itself. A port that the system gave and
 * got back may be given to another process at once: as its server's port, or as its end of a connection.
 */
export async function unassignedPort(): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(first, end);
    try {
      await (await listen(createServer(), port)).stop();
      return port;
    } catch (error) {
      if (attempt === attempts) throw error;
    }
  }
}
