/** The hosts, by their names in the catalog. The code of each is loaded with its first call. */
import type { HostName } from "../../../books/catalog/host.ts";
import type { CloudHost, HostedCall, PartedRequest } from "./host.ts";

const hosts: Record<HostName, () => Promise<CloudHost>> = {
  bedrock: async () => (await import("./bedrock.ts")).bedrock,
  vertex: async () => (await import("./vertex.ts")).vertex,
  azure: async () => (await import("./azure.ts")).azure,
};

/** The host of this name. */
export async function hostOf(name: HostName): Promise<CloudHost> {
  return await hosts[name]();
}

/** Asks nobody. Rejects as `CloudHost.parts` does where the host of this name cannot carry a call. */
export async function checkAtHost(name: HostName, asked: PartedRequest, call: HostedCall): Promise<void> {
  const host = await hostOf(name);
  await host.parts?.(asked, call);
}
