/** The console of a local gateway: its port, and what its function is told that only this machine knows. */
import { variables } from "#shared/base/platform/env.ts";
import { openBufferedUrl } from "../emulators/buffered-url.ts";
import type { Listening } from "../emulators/listen.ts";
import type { Endpoints } from "../stack/ready-file.ts";
import type { StackResources } from "../stack/resources.ts";
import { type Functions, functionNamed } from "./functions.ts";
import type { StartSettings } from "./settings.ts";

/** What a request to the console waits for. */
export interface Serving {
  functions: Functions;
  /** Told of each request before it is answered. */
  onRequest: (event: unknown) => Promise<void>;
}

interface ConsoleOptions extends Pick<StartSettings, "port" | "consolePort"> {
  resources: Pick<StackResources, "functions">;
  /** Once the gateway answers: a request that comes before waits. */
  serving: Promise<Serving>;
  warn(error: unknown): void;
}

/** Opens the console's port: the gateway's plus two, or any free one. Rejects when a port is taken that was asked for. */
export async function openConsole(options: ConsoleOptions): Promise<Listening> {
  const { resources, port, consolePort, serving, warn } = options;
  const found = resources.functions.find(({ hasBufferedUrl }) => hasBufferedUrl);
  if (!found) throw new Error("template: the console has no function URL");
  const local = {
    invoke: async (event: unknown) => {
      const { functions, onRequest } = await serving;
      await onRequest(event);
      return await functionNamed(functions, found.name).invoke(event);
    },
  };
  const wished = port === 0 || port > 65_533 ? 0 : port + 2;
  try {
    return await openBufferedUrl(local, consolePort ?? wished, warn);
  } catch (error) {
    if (consolePort !== undefined || wished === 0) throw error;
    return await openBufferedUrl(local, 0, warn);
  }
}

/** The addresses of this machine, by the variables in which the template has those of AWS. */
export function consoleAddresses(
  gatewayUrl: string,
  consoleUrl: string,
  { inbox, identityProvider }: Pick<Endpoints, "inbox" | "identityProvider">,
): Record<string, string> {
  return {
    [variables.gatewayUrl]: `${gatewayUrl}/`,
    [variables.notifyBase]: consoleUrl,
    [variables.inboxUrl]: inbox,
    [variables.mailFrom]: "codes@localhost.example",
    [variables.mailEndpoint]: inbox,
    [variables.signOnSandbox]: identityProvider,
  };
}
