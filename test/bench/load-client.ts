/** The process that plays provider and clients, as the bench speaks to it. */
import { fork } from "node:child_process";
import { on } from "node:events";
import type { FromLoad, Round, RoundResult } from "./load.ts";

export interface Load {
  /** Of the provider. */
  url: string;
  /** Rejects when a call fails, which ends the process. */
  run(round: Round): Promise<RoundResult>;
}

/** Starts it. The disposal of `parts` ends it. */
export async function startLoad(parts: AsyncDisposableStack): Promise<Load> {
  const child = fork(new URL("load.ts", import.meta.url));
  parts.defer(() => void child.kill());
  const inbox = on(child, "message", { close: ["exit"] });
  const hear = async (): Promise<FromLoad> => {
    const { done, value } = await inbox.next();
    if (done) throw new Error("the load has ended");
    return value[0] as FromLoad;
  };
  const ready = await hear();
  if (ready.kind !== "ready") throw new Error("the load is not ready");
  return {
    url: ready.url,
    async run(round) {
      child.send(round);
      const result = await hear();
      if (result.kind !== "result") throw new Error("the load has no result");
      return result;
    },
  };
}
