/** The workflows of GitHub that `infra/deploy/pipeline` has as samples, and their scripts, played here. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseDocument } from "yaml";

export interface Step {
  id?: string;
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
  env?: Record<string, string>;
}

export interface Job {
  if?: string;
  needs?: string | string[];
  environment?: string;
  permissions: Record<string, string>;
  concurrency?: { group: string; "cancel-in-progress": boolean };
  steps: Step[];
}

interface Workflow {
  on: Record<string, unknown>;
  permissions: object;
  jobs: Record<string, Job>;
}

/** A workflow's text and what it says, with what the reader of YAML complains of. */
export function readWorkflow(file: string) {
  const text = readFileSync(new URL(`../../infra/deploy/pipeline/${file}`, import.meta.url), "utf8");
  const document = parseDocument(text, { version: "1.2", strict: true, uniqueKeys: true });
  return { text, complaints: [...document.errors, ...document.warnings], ...(document.toJS() as Workflow) };
}

/** A folder in which scripts run as GitHub runs them. */
export function scriptPlace() {
  const folder = mkdtempSync(join(tmpdir(), "pipeline-"));

  /** Runs a script with each of `programs` played by one that does `body`. */
  function play(
    script: string,
    body: string,
    env: Record<string, string> = {},
    programs: readonly string[] = ["npm", "gh"],
  ) {
    for (const name of programs) {
      writeFileSync(join(folder, name), `#!/bin/bash\n${body}\n`, { mode: 0o700 });
    }
    const files = { GITHUB_STEP_SUMMARY: join(folder, "summary"), GITHUB_OUTPUT: join(folder, "output") };
    for (const file of Object.values(files)) writeFileSync(file, "");
    const { status, stdout, stderr } = spawnSync(
      "bash",
      ["--noprofile", "--norc", "-eo", "pipefail", "-c", script],
      {
        cwd: folder,
        env: { PATH: `${folder}${delimiter}${process.env.PATH}`, ...files, ...env },
        encoding: "utf8",
      },
    );
    const written = (file: string) => readFileSync(file, "utf8");
    return {
      ...{ status, stdout, stderr },
      summary: written(files.GITHUB_STEP_SUMMARY),
      output: written(files.GITHUB_OUTPUT),
    };
  }
  return { folder, play };
}
