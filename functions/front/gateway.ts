/** The gateway behind node:http: as a process (`server.ts`), or in one (infra/local/README.md "One thread"). */

import type { BundledCatalog } from "#shared/books/catalog/models.ts";
import type { Deps } from "#shared/calls/gateway/deps.ts";
import { createLook } from "#shared/calls/gateway/look.ts";
import { createPipeline } from "#shared/calls/gateway/pipeline.ts";
import { gatewayDeps, type Host } from "../deps.ts";
import { localAnswers } from "../local-answers.ts";
import { type Front, type FrontOptions, openFront } from "./front.ts";

/** The gateway on its port. */
interface GatewayFront extends Front {
  /**
   * Serves this checked, compiled catalog from the next call on. A call in flight ends with the one that it began with.
   */
  replaceCatalog(catalog: BundledCatalog): void;
}

/** Opens the gateway on a port. Rejects when the port is taken, or a variable of the host's environment is missing. */
export async function openGateway(options: FrontOptions, host: Host): Promise<GatewayFront> {
  let current = serving(host);
  const { tracing } = current.deps;
  const front = await openFront((request) => current.serve(request), options, {
    ...current.deps,
    look: (request) => current.look(request),
  });
  return {
    ...front,
    replaceCatalog(catalog) {
      current = serving({ ...host, catalog }, tracing);
    },
    async close(graceMs) {
      const isSettled = await front.close(graceMs);
      await (await tracing)?.flush();
      return isSettled;
    },
  };
}

/** Everything that knows the catalog, made anew. It remembers nothing of what was there before, as after a deployment. */
function serving(host: Host, tracing?: Deps["tracing"]) {
  const deps = gatewayDeps({ ...host, isServer: true }, tracing);
  return { deps, serve: createPipeline(localAnswers(deps), deps), look: createLook(deps) };
}
