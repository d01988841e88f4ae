/**
 * DynamoDB with the tables of the template: a child process that cannot outlive this one, or what DYNAMODB_ENDPOINT
 * names. The embedded server answers whoever finds it, and looks at no key. So it listens on an address of loopback
 * that nobody can guess: Linux has 2^24 of them, with some 2^15 ports each. Elsewhere only the port is left to guess.
 */
import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { type Aws, AwsError } from "#shared/base/platform/aws.ts";
import type { TableResource } from "../stack/resources.ts";
import { databaseProgram } from "./database-program.ts";

export interface DynamoDb {
  /** For the functions alone. Others get a door (loopback.ts). */
  endpoint: string;
  stop(): Promise<void>;
}

/**
 * Runs the program until its own standard input ends: when the process at the other end is gone, however it died. The
 * shell keeps no output open, so that the end of the output is the end of the program.
 */
const watchdog = '"$@" <&- & exec >&- 2>&-; read _; kill -9 $!; wait';

const startAttempts = 5;

/** Starts the embedded server, its data in `file` or in memory. `onLost` is told of an end that nobody asked for. */
export async function startDynamoDb(
  file?: string,
  onLost: (error: Error) => void = () => {},
  choosePlace: () => Promise<ServerAddress> = () => hiddenPlace(),
): Promise<DynamoDb> {
  const program = await databaseProgram(console.log);
  for (let attempt = 1; ; attempt++) {
    // The port is chosen here, because the server does not tell which one it took. Another process may take it first.
    const place = await choosePlace();
    const started = await startOnce(program, place, file, onLost);
    if ("endpoint" in started) return started;
    if (attempt === startAttempts) throw new Error(`the embedded DynamoDB does not start: ${started.output}`);
  }
}

async function startOnce(
  program: string,
  { host, port }: ServerAddress,
  file: string | undefined,
  onLost: (error: Error) => void,
): Promise<DynamoDb | { output: string }> {
  const options = ["serve", "--host", host, "--port", String(port), ...(file ? ["--db-path", file] : [])];
  // A session of its own: Ctrl-C reaches only this process, which stops its parts in order.
  const child = spawn("sh", ["-c", watchdog, "sh", program, ...options], {
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  const listening = Promise.withResolvers<true>();
  const read = (chunk: Buffer) => {
    output += chunk.toString();
    // Only this line tells that the server has the port. A connection may reach another process that took it first.
    if (output.includes(`Dynoxide listening on http://${host}:${port}\n`)) listening.resolve(true);
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  child.stdin.on("error", () => {});
  const end = once(child, "close");
  const outputEnd = once(child.stderr, "close");
  const isListening = await Promise.race([
    listening.promise,
    Promise.race([end, outputEnd]).then(() => false),
  ]);
  if (!isListening) {
    child.stdin.end();
    return { output };
  }
  let isStopped = false;
  void outputEnd.then(() => {
    if (!isStopped) onLost(new Error(`the embedded DynamoDB has ended: ${output}`));
  });
  return {
    endpoint: `http://${host}:${port}`,
    async stop() {
      isStopped = true;
      child.stdin.end();
      await Promise.all([end, outputEnd]);
    },
  };
}

/** Where the server listens. */
interface ServerAddress {
  host: string;
  port: number;
}

/** A free place that is hard to guess. Systems other than Linux answer on 127.0.0.1 alone. */
export function hiddenPlace(platform: string = process.platform): Promise<ServerAddress> {
  const hidden = [127, randomInt(1, 255), randomInt(256), randomInt(2, 255)].join(".");
  const host = platform === "linux" ? hidden : "127.0.0.1";
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve({ host, port: typeof address === "object" && address ? address.port : 0 }));
    });
  });
}

/** Creates the tables that are not there yet. */
export async function createTables(aws: Aws, tables: TableResource[]): Promise<void> {
  for (const table of tables) {
    try {
      await aws("dynamodb", "CreateTable", table);
    } catch (error) {
      const isThere = error instanceof AwsError && error.code === "ResourceInUseException";
      if (!isThere) throw error;
    }
  }
}
