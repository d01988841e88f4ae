/** The server's bundle as a process of its own, as a container runs it, on the stand-ins of a test. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledCatalogName } from "#infra/bundles/bundle-files.ts";
import { bundleServer } from "#infra/bundles/server-bundle.ts";
import { compileCatalog } from "#infra/catalog/catalog.ts";

export interface ServerProcess {
  url: string;
  process: ChildProcess;
  /** The lines that it has logged. */
  lines: Record<string, unknown>[];
  /** Sends a signal, and gives the exit code; null where the signal itself ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Builds the server over a catalog (as JSON). Gives its folder, and what removes it. */
export function buildServer(catalog: unknown): { folder: string; remove: () => void } {
  const scratch = mkdtempSync(join(tmpdir(), "server-"));
  const source = join(scratch, "catalog.json");
  writeFileSync(source, JSON.stringify(catalog));
  const compiled = compileCatalog(source, join(scratch, bundledCatalogName));
  const folder = bundleServer(join(scratch, "server"), compiled);
  return { folder, remove: () => rmSync(scratch, { recursive: true, force: true }) };
}

/**
 * Starts the server of a folder, or with other arguments of Node. Resolves when it listens, and rejects with its log where
 * it ends before.
 */
export async function startServer(
  args: string | string[],
  environment: Record<string, string>,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [args].flat(), {
    env: {
      AWS_REGION: "us-east-1",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      PORT: "0",
      HOST: "127.0.0.1",
      ...environment,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: Record<string, unknown>[] = [];
  let rest = "";
  const exited = once(child, "exit") as Promise<[number | null]>;
  const listening = new Promise<number>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const parts = (rest + text).split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts) lines.push(JSON.parse(line) as Record<string, unknown>);
      const port = lines.find(({ event }) => event === "listening")?.port;
      if (typeof port === "number") resolve(port);
    });
    void exited.then(([code]) => reject(new Error(`it ended with ${code}: ${JSON.stringify(lines)}`)));
  });
  const port = await listening;
  return {
    url: `http://127.0.0.1:${port}`,
    process: child,
    lines,
    async end(signal) {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}
