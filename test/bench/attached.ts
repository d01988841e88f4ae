/** Gateways beside the bench's own `npm start`: the function behind another URL, on the same stand-ins but for some. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readReadyFile } from "#infra/local/stack/ready-file.ts";
import { type LocalGateway, startLocal } from "#test/support/local.ts";

interface Attached {
  gateway: LocalGateway;
  /** Milliseconds until it served. */
  startMs: number;
}

interface AttachOptions {
  /** Addresses that take the place of those of `base`. */
  replaced: { dynamodb?: string; sqs: string };
  /** Options of Node itself. */
  execArgv?: string[];
}

/** Starts one beside `base`, as `npm start` does with ATTACH. The disposal of `parts` ends it. */
export async function attach(
  base: Pick<LocalGateway, "readyFile">,
  { replaced, execArgv = [] }: AttachOptions,
  parts: AsyncDisposableStack,
): Promise<Attached> {
  const ready = readReadyFile(base.readyFile);
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const file = join(folder, "ready.json");
  writeFileSync(file, JSON.stringify({ ...ready, endpoints: { ...ready.endpoints, ...replaced } }));
  const startedAt = performance.now();
  const gateway = await startLocal({ env: { ATTACH: file }, execArgv });
  const startMs = performance.now() - startedAt;
  rmSync(folder, { recursive: true });
  parts.defer(async () => void (await gateway.stop()));
  return { gateway, startMs };
}
