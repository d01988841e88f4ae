/**
 * Keeps the synthesized stack for all gateways of one test run: the first start builds it, and the others take a copy
 * with their own catalog. A run that watches files builds it at each start, because the code changes under it.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";

/** Vitest's global setup: names the folder to the workers, and gives what removes it. */
export function setup({ config }: TestProject): (() => void) | undefined {
  if (config.watch) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "gateway-tests-assembly-"));
  process.env.TEST_ASSEMBLY = join(folder, "kept");
  return () => rmSync(folder, { recursive: true, force: true });
}
