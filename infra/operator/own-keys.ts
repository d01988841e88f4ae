/** The operator's commands on organizations' own keys at providers. Only members give them, on the console. */
import { ownKeyFacts, showOwnKey, withoutOwnKey } from "#shared/edges/api/own-keys.ts";
import { writeLine } from "./audit-lines.ts";
import { command, flag, needed } from "./command.ts";
import { id, sample } from "./organization-change.ts";
import { organizationOf, storesOf } from "./stores.ts";

/** `org provider-keys`. */
export const providerKeys = command({
  words: "org provider-keys",
  what: "lists the organization's own keys at providers, by their last four",
  operands: [id],
  flags: {},
  examples: { [sample]: "the keys of one organization" },
  async run(call) {
    const { provider_keys: keys = [] } = await organizationOf(await storesOf(call), call.operand);
    return { value: keys.map((key) => showOwnKey(key.provider, key)) };
  },
});

/** `org remove-provider-key`. */
export const removeProviderKey = command({
  words: "org remove-provider-key",
  what: "removes the organization's own key at a provider",
  more: "Its calls go with the keys of the house then, at list price. They do so within half a minute.",
  operands: [id],
  flags: { provider: needed(flag("NAME", "the provider, as the catalog names it")) },
  examples: { [`${sample} --provider openai`]: "the key at one provider" },
  async run(call) {
    const { provider } = call.flags;
    const stores = await storesOf(call);
    const organization = await organizationOf(stores, call.operand);
    const before = organization.provider_keys;
    const key = before?.find((each) => each.provider === provider);
    if (!before || !key) throw new Error(`the organization has no key of its own at ${provider}`);
    const after = withoutOwnKey(before, provider);
    if (!(await stores.accounts.setRows(organization.id, "provider_keys", { before, after })))
      throw new Error("somebody else changed the keys at the same time: repeat the command");
    const facts = { before: ownKeyFacts(key), after: { ...ownKeyFacts(undefined), provider } };
    await writeLine(organization, { kind: "provider_key_removed", ...facts }, stores);
    return { value: after.map((each) => showOwnKey(each.provider, each)) };
  },
});
