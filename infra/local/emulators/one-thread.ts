/**
 * The gateway on this thread, behind node:http (functions/front/). A call costs no message of a thread and no event of
 * Lambda. `npm start -- --isolated` runs the function as Lambda does (`lambda.ts`).
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createLog, joinLines, type Log } from "#shared/base/platform/log.ts";
import type { BundledCatalog } from "#shared/books/catalog/models.ts";
import { catalogBeside } from "../../bundles/about.ts";
import { bundleName } from "../../bundles/bundle-files.ts";
import { folderOf, oneThread } from "../stack/bundle-folders.ts";
import type { FunctionResource } from "../stack/resources.ts";
import type { LocalFunction } from "./lambda.ts";
import { listenError } from "./listen.ts";

/** What the bundle of `functions/front/gateway.ts` gives, as far as it is used here. */
export interface GatewayBundle {
  openGateway(
    options: { port: number; host: string; callMs: number },
    host: { env: Record<string, string>; log: Log },
  ): Promise<OpenGateway>;
}

interface OpenGateway {
  port: number;
  replaceCatalog(catalog: BundledCatalog): void;
  close(graceMs: number): Promise<boolean>;
}

/**
 * Loads the gateway with the environment of its function. Throws when its bundle does not load. `onOutput` gets its
 * log. `stop` breaks off the calls that have not ended in time, and settles them.
 */
export function startOnThisThread(
  { name, timeoutSeconds }: Pick<FunctionResource, "name" | "timeoutSeconds">,
  assembly: string,
  env: Record<string, string>,
  onOutput: (output: string) => void,
): LocalFunction {
  const load = createRequire(import.meta.url);
  const folder = join(assembly, folderOf(oneThread));
  const bundle = load(join(folder, bundleName)) as GatewayBundle;
  const log = createLog(joinLines(onOutput));
  let front: OpenGateway | undefined;
  return {
    invoke: () => Promise.reject(new Error(`${name} is called through its URL alone`)),
    async listen(port) {
      const options = { port, host: "127.0.0.1", callMs: timeoutSeconds * 1_000 };
      front = await bundle.openGateway(options, { env, log }).catch((error: NodeJS.ErrnoException) => {
        throw listenError(error, port);
      });
      return `http://127.0.0.1:${front.port}`;
    },
    async renew() {
      front?.replaceCatalog(JSON.parse(readFileSync(catalogBeside(folder), "utf8")) as BundledCatalog);
    },
    async stop(graceMs) {
      await front?.close(graceMs);
    },
  };
}
