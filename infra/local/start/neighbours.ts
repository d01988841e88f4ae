/** Other gateways on this machine: who has a port, and who wrote the ready file that the operator reads. */
import { createServer, type Server } from "node:net";
import { type ReadyFile, readReadyFile } from "../stack/ready-file.ts";

/** How many ports after a taken one are looked at for a free one. */
const others = 20;

/**
 * Holds a loopback port until the gateway that will serve there is built. Gives the function that frees it. Throws when
 * the port is taken; the message says by whom, if `knownReadyFile` tells, and what to do. Port 0 is never taken.
 */
export async function holdPort(port: number, knownReadyFile: string): Promise<() => Promise<void>> {
  if (port === 0) return async () => {};
  const held = await listenOn(port);
  if (typeof held !== "string") return () => closed(held);
  if (held !== "EADDRINUSE")
    throw new Error(`port ${port} cannot be had (${held}). ${await otherPort(port)}`);
  const running = await runningAt(knownReadyFile);
  if (!running?.url.endsWith(`:${port}`))
    throw new Error(`port ${port} is taken by another program. ${await otherPort(port)}`);
  throw new Error(
    `port ${port} is taken by a gateway that runs already, at ${running.url} (process ${running.pid}).\n` +
      `End it with Ctrl-C where it runs, or start another one beside it. ${await otherPort(port)}`,
  );
}

/** The gateway of a ready file, if it runs: a killed one leaves its file, and another process may have its number. */
async function runningAt(readyFile: string): Promise<ReadyFile | undefined> {
  try {
    const ready = readReadyFile(readyFile);
    if (!isAlive(ready.pid)) return undefined;
    return (await faultOf(Number(new URL(ready.url).port))) === "EADDRINUSE" ? ready : undefined;
  } catch {
    // There is no such file, or it is not one of ours.
    return undefined;
  }
}

/** The ready files of a start, the first of which is its own. */
interface ReadyFiles {
  files: [own: string, ...others: string[]];
  /** Whether the operator's own one is among them. */
  isKnown: boolean;
}

/**
 * The ready files of a gateway at `url`: the one asked for, and the operator's, which the first gateway keeps while it
 * runs. A second gateway without a file of its own gets one beside it, named after its port.
 */
export async function readyFilesOf(
  asked: string | undefined,
  known: string,
  url: string,
): Promise<ReadyFiles> {
  const isKnown = (await runningAt(known)) === undefined;
  const beside = known.replace(/\.json$/, `-${new URL(url).port}.json`);
  const own = asked ?? (isKnown ? known : beside);
  return { files: isKnown && own !== known ? [own, known] : [own], isKnown };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // The process belongs to another user, and lives.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** How to start on another port, one that is free now. */
async function otherPort(taken: number): Promise<string> {
  for (let port = taken + 1; port <= Math.min(taken + others, 65_535); port++) {
    if ((await faultOf(port)) === undefined) return `Use another port: npm start -- --port ${port}`;
  }
  return "Let the system pick a free port: npm start -- --port 0";
}

/** The system's code for why nobody can listen there now. */
async function faultOf(port: number): Promise<string | undefined> {
  const held = await listenOn(port);
  if (typeof held === "string") return held;
  await closed(held);
  return undefined;
}

/** A server that answers nobody, or the code of what kept it from listening. */
function listenOn(port: number): Promise<Server | string> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
