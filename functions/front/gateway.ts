/**
 * The gateway behind node:http, for a process of its own (`server.ts`) and for a process that does more, such as
 * `npm start` (infra/local/README.md "One thread").
 */
import { KeyCache } from "#shared/access/authenticate.ts";
import { createLook } from "#shared/gateway/look.ts";
import { createPipeline } from "#shared/gateway/pipeline.ts";
import { gatewayDeps, type Host } from "../deps.ts";
import { localAnswers } from "../local-answers.ts";
import { type Front, type FrontOptions, openFront } from "./front.ts";

/**
 * Opens the gateway on a port, with the environment and the log of its host. Rejects when the port is taken, or when a
 * variable of the environment is missing.
 */
export async function openGateway(options: FrontOptions, host: Host): Promise<Front> {
  const deps = { ...gatewayDeps({ ...host, isServer: true }), keys: new KeyCache() };
  const serve = createPipeline(localAnswers(deps), deps);
  const front = await openFront(serve, options, { ...deps, look: createLook(deps) });
  const close = async (graceMs: number): Promise<boolean> => {
    const isSettled = await front.close(graceMs);
    await (await deps.tracing)?.flush();
    return isSettled;
  };
  return { ...front, close };
}
