/** How the keys of one provider are used. */
import type { Row } from "#test/guards/guard.ts";

const severalSecrets = "a provider with several secrets has a channel for each, which share its weight";

export const keyPools: Row[] = [
  {
    id: "keys-1",
    test: "shared/calls/upstreams/key-pool › a key that gets %s is followed by the other one",
    guard: "deps.secrets.provider(channel.secret)",
    without: 'deps.secrets.provider(deps.catalog.provider(channel.provider)?.secret ?? "")',
  },
  {
    id: "keys-2",
    test: `shared/books/catalog/catalog › ${severalSecrets}`,
    guard: 'capabilities.includes("video") ? [secret] : secrets',
    without: "secrets",
  },
  {
    id: "keys-3",
    test: `shared/books/catalog/catalog › ${severalSecrets}`,
    guard: "weight: channel.weight / names.length",
    without: "weight: channel.weight",
  },
];
