/** A gateway that is looked into: how to start it with the probe in its threads, and how to ask them. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";

export interface Probe {
  /** What Node is started with. */
  execArgv: string[];
  /** The answers of all threads to one question, by thread; the main thread is 0. */
  ask<Answer>(question: string): Promise<Map<number, Answer>>;
}

/** Prepares the folder of a probe. The disposal of `parts` removes it. */
export function prepareProbe(parts: AsyncDisposableStack): Probe {
  const folder = mkdtempSync(join(tmpdir(), "probe-"));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  const url = new URL("probe.ts", import.meta.url);
  url.searchParams.set("folder", folder);
  return {
    execArgv: [`--import=${url.href}`],
    async ask<Answer>(question: string) {
      const answers = new Map<number, Answer>();
      for (const name of readdirSync(folder)) {
        const thread = Number.parseInt(name, 10);
        answers.set(thread, (await askOne(join(folder, name), question)) as Answer);
      }
      return answers;
    },
  };
}

function askOne(socketPath: string, path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path }, (reply) => void json(reply).then(resolve, reject));
    asked.once("error", reject);
    asked.end();
  });
}
