/** What the gateway is compared with: a bare proxy that the bench carries, and Portkey's gateway from npm. */
import { type ChildProcess, execFile, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { unassignedPort } from "#test/support/unassigned-port.ts";
import type { Side } from "./rounds.ts";

/** Starts the bare proxy of the provider at `url`. The disposal of `parts` ends it. */
export async function startProxy(url: string, parts: AsyncDisposableStack): Promise<Side> {
  const child = fork(new URL("proxy.ts", import.meta.url), [url]);
  parts.defer(() => stop(child));
  const [address] = (await once(child, "message")) as [string];
  return { url: address, key: "bench", pid: child.pid ?? 0 };
}

const portkey = {
  name: "@portkey-ai/gateway",
  version: "1.15.2",
  // As its own lock file has them. With newer ones, which its package allows, every stream fails ("immutable").
  overrides: { "@hono/node-server": "1.13.5", hono: "4.9.7" },
};

/** As the table names it. */
export const portkeyName = `Portkey ${portkey.version}`;

/** A process that does not serve after so long will never do so. */
const startMs = 20_000;

/**
 * Installs Portkey's gateway into a folder that is removed at the end. Starts it as its own `npm run start:node` does,
 * and points it to the provider at `url`. `tell` hears of each step. The disposal of `parts` ends it.
 */
export async function startPortkey(
  url: string,
  tell: (text: string) => void,
  parts: AsyncDisposableStack,
): Promise<Side> {
  const folder = mkdtempSync(join(tmpdir(), "portkey-"));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const { name, version, overrides } = portkey;
  const wanted = { private: true, dependencies: { [name]: version }, overrides };
  writeFileSync(join(folder, "package.json"), JSON.stringify(wanted));
  tell(`installing ${name} ${version}`);
  const words = ["install", "--no-audit", "--no-fund", "--ignore-scripts"];
  await promisify(execFile)("npm", words, { cwd: folder });
  const entry = join(folder, "node_modules", name, "build/start-server.js");
  const port = await unassignedPort();
  tell(`starting ${portkeyName}`);
  const child = spawn(process.execPath, [entry, "--headless", `--port=${port}`], {
    env: { ...process.env, NODE_ENV: "production" },
    stdio: "ignore",
  });
  parts.defer(() => stop(child));
  await untilServed(port, child);
  return {
    url: `http://127.0.0.1:${port}`,
    key: "bench",
    headers: { "x-portkey-provider": "openai", "x-portkey-custom-host": `${url}/v1` },
    pid: child.pid ?? 0,
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, "exit");
}

async function untilServed(port: number, child: ChildProcess): Promise<void> {
  const startedAt = performance.now();
  while (!(await accepts(port))) {
    const isOver = performance.now() - startedAt > startMs;
    if (isOver || child.exitCode !== null) throw new Error(`${portkeyName} does not start`);
    await sleep(50);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(socket.destroy() !== undefined));
    socket.once("error", () => resolve(false));
  });
}
