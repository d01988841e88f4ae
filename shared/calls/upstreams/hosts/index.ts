/** The hosts, by their names in the catalog. The code of each is loaded with its first call. */
import type { HostName } from "../../../books/catalog/host.ts";
import type { CloudHost } from "./host.ts";

const hosts: Record<HostName, () => Promise<CloudHost>> = {
  bedrock: async () => (await import("./bedrock.ts")).bedrock,
  vertex: async () => (await import("./vertex.ts")).vertex,
  azure: async () => (await import("./azure.ts")).azure,
};

/** The host of this name. */
export async function hostOf(name: HostName): Promise<CloudHost> {
  return await hosts[name]();
}
