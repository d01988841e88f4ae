/** The proof of work that a warm address is asked for. It runs in a worker, so the page stays quick. */

import type { HumanTask } from "./human-worker.ts";

/** The built worker's address (infra/bundles/console-assets.ts). */
declare const HUMAN_WORKER: string;

/** The page's policy lets only this one make a script's address of a text. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): {
    createScriptURL(url: string): string;
  };
}

const trusted = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy("worker", {
  createScriptURL: () => HUMAN_WORKER,
});

/** Solves a challenge, in the form in which a request carries the proof. Rejects where the worker fails. */
export function proveHuman(task: HumanTask): Promise<string> {
  const worker = new Worker(trusted?.createScriptURL(HUMAN_WORKER) ?? HUMAN_WORKER, { type: "module" });
  return new Promise<string>((resolve, reject) => {
    worker.addEventListener("message", ({ data }: MessageEvent<string>) => resolve(data));
    worker.addEventListener("error", () => reject(new Error("the proof of work failed")));
    worker.postMessage(task);
  }).finally(() => worker.terminate());
}
