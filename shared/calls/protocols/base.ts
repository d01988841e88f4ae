/** Where a provider is asked in a protocol. */
import type { Provider, ProviderProtocol } from "../../books/catalog/catalog.ts";
import type { Protocol, ProviderSide } from "./protocol.ts";

export interface ProtocolBase<Spoken extends ProviderSide = Protocol> {
  protocol: Spoken;
  /** The name of this base URL in the catalog: a protocol has dialects. */
  dialect: ProviderProtocol;
  base_url: string;
}

/** The first base URL of a provider at which it speaks a protocol. Undefined where it does not. */
export function baseOf<Spoken extends ProviderSide>(
  { protocols: urls }: Provider,
  protocol: Spoken,
): ProtocolBase<Spoken> | undefined {
  for (const dialect of protocol.bases) {
    const base_url = urls[dialect];
    if (base_url) return { protocol, dialect, base_url };
  }
  return undefined;
}
