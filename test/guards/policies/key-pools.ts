/** How the keys of one provider are used. */
import type { Row } from "#test/guards/guard.ts";

const severalSecrets = "a provider with several secrets has a channel for each, which share its weight";

const roles = "shared/calls/upstreams/credentials/aws-role";

export const keyPools: Row[] = [
  {
    id: "keys-1",
    test: "shared/calls/upstreams/key-pool › a key that gets %s is followed by the other one",
    guard: "needs: keys.length > 0 ? [name, ...values] : values",
    without: "needs: keys.length > 0 ? [...keys.slice(0, 1), ...values] : values",
  },
  {
    id: "keys-2",
    test: `shared/books/catalog/catalog › ${severalSecrets}`,
    guard: 'capabilities.includes("video") ? accounts.slice(0, 1) : accounts',
    without: "accounts",
  },
  {
    id: "keys-3",
    test: `shared/books/catalog/catalog › ${severalSecrets}`,
    guard: "weight: channel.weight / names.length",
    without: "weight: channel.weight",
  },
  {
    id: "keys-4",
    test: `${roles} › a provider that quotes what signs it is not repeated`,
    guard: "confidential: [...secretsIn(credentials), signatureIn(signed)]",
    without: "confidential: [credentials.accessKeyId]",
  },
  {
    id: "keys-7",
    test: `shared/calls/upstreams/credentials/hostile › in an error, in its headers and in what is no JSON: %s`,
    guard: ", signatureIn(signed)]",
    without: "]",
  },
  {
    id: "keys-5",
    test: `${roles} › a role that %s is its channel's fault, and the next channel serves`,
    guard: "throw unobtained(error);",
    without: "throw error;",
  },
  {
    id: "keys-6",
    test: `${roles} › a role is assumed once for all calls, with its external id, and signs in the region that is named`,
    guard: "known.get(name) ?? kinds[auth]()",
    without: "kinds[auth]()",
  },
  {
    id: "keys-8",
    test: "shared/base/platform/kept-token › one that is refused is dropped once, however many say so, and not while it is young",
    guard:
      "if (kept?.value === value && now() >= kept.asked_at + limits.credentialRetryMs) kept = undefined;",
    without: "kept = undefined;",
  },
  {
    id: "keys-9",
    test: "shared/calls/upstreams/credentials/refused › that is refused is obtained anew by one of all later calls",
    guard: "if (reply.status === 401 || reply.status === 403) refused?.(reply);",
    without: "",
  },
];
