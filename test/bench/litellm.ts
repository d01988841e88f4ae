/**
 * LiteLLM's proxy from PyPI: one worker, no database. Its database client downloads an engine with the first use, from
 * an address that is no registry; so its keys with budgets cannot be compared.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPython, prepare, skip, withoutPython } from "#test/support/python-environment.ts";
import { unassignedPort } from "#test/support/unassigned-port.ts";
import { startProgram } from "./program.ts";
import { benchModel } from "./provider.ts";
import type { Side } from "./rounds.ts";

const requirements = join(import.meta.dirname, "litellm-requirements.txt");
const [, version] = /^litellm==(.+)$/m.exec(readFileSync(requirements, "utf8")) ?? [];

/** As the table names it. */
export const litellmName = `LiteLLM ${version}`;

const key = "sk-bench";

/** It neither calls home nor reads its prices from elsewhere. */
const quiet = { LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_TELEMETRY: "False", LITELLM_LOG: "ERROR" };

/**
 * Installs it into an environment that is kept, and points it to the provider at `url`. `tell` hears of each step. The
 * disposal of `parts` ends it. Gives undefined, and says so, on a machine without Python.
 */
export async function startLitellm(
  url: string,
  tell: (text: string) => void,
  parts: AsyncDisposableStack,
): Promise<Side | undefined> {
  const python = await findPython(tell);
  if (!python) {
    process.exitCode = skip(litellmName, withoutPython);
    return undefined;
  }
  const command = await prepare("litellm-proxy", requirements, python, tell);
  const folder = mkdtempSync(join(tmpdir(), "litellm-"));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, "config.yaml");
  // JSON is YAML too.
  writeFileSync(config, JSON.stringify(configOf(url)));
  const port = await unassignedPort();
  tell(`starting ${litellmName}`);
  const program = {
    name: litellmName,
    command,
    words: [
      "-c",
      "from litellm import run_server; run_server()",
      ...["--config", config, "--host", "127.0.0.1", "--port", String(port)],
      ...["--num_workers", "1", "--telemetry", "False"],
    ],
    env: quiet,
    startMs: 120_000,
  };
  return { url: `http://127.0.0.1:${port}`, key, pid: await startProgram(program, port, parts) };
}

function configOf(url: string): object {
  const litellm_params = { model: benchModel, api_base: `${url}/v1`, api_key: "bench" };
  return {
    model_list: [{ model_name: benchModel, litellm_params }],
    litellm_settings: { num_retries: 0 },
    general_settings: { master_key: key },
  };
}
