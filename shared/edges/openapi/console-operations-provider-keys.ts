/** Organizations' own keys at providers in the console's document (edges/console/routes/organization.ts). */
import { limits } from "../../base/limits.ts";
import { ownKeyBounds } from "../../books/accounts/bounds.ts";
import { ownKeyUses } from "../../books/accounts/own-key.ts";
import type { ConsoleDescribed } from "./console-operation.ts";
import { maybe } from "./console-schemas.ts";
import * as s from "./schema.ts";

const use = s.such(
  s.oneOf(ownKeyUses),
  "`only`: models of this provider are called with the organization's own keys, and never with ours. `first`: before ours. `after`: behind ours.",
);

export const providerKeySchemas = {
  ProviderKey: s.such(
    s.closed({
      object: s.just("provider_key"),
      provider: s.string,
      use: s.orNull(use),
      last_four: s.orNull(s.string),
      set_at: s.orNull(s.instant),
    }),
    "The organization's own key at a provider, which is never shown. Its members are null where there is none.",
  ),
};

const parameter = { description: "The provider's name." };

export const providerKeyOperations = {
  list_provider_keys: {
    tag: "Organization",
    summary: "List the providers at which the organization can have keys of its own, and those that it has",
    reply: s.closed({
      object: s.just("list"),
      data: s.list(s.ref("ProviderKey")),
      fee: s.orNull(
        s.such(
          s.closed({ share: s.orNull(s.string), call: s.orNull(s.points) }),
          "What a call with such a key costs: a share of its value at list price, or points. Null: no key is taken.",
        ),
      ),
    }),
    errors: [],
  },
  put_provider_key: {
    tag: "Organization",
    summary: "Give the organization a key of its own at a provider, or say when it serves",
    description: `The provider is asked first, and a key that it refuses is not kept. Calls go by it at once, or within ${limits.keyCacheSeconds} seconds where a process knows the organization. It has at most ${ownKeyBounds.ofOrganizationMax} keys.`,
    parameter,
    request: {
      schema: s.closed(
        {},
        {
          key: s.such(s.string, "Absent: the key that is there stays."),
          use: maybe(use),
        },
      ),
      example: { key: "sk-…", use: "only" },
    },
    reply: s.ref("ProviderKey"),
    errors: ["not_found", "invalid_state", "upstream_error"],
  },
  remove_provider_key: {
    tag: "Organization",
    summary: "Remove the organization's own key at a provider",
    parameter,
    reply: s.ref("ProviderKey"),
    errors: ["not_found", "invalid_state"],
  },
} satisfies Record<string, ConsoleDescribed>;
