/** The operator's commands on API keys. */
import type { BillingMode, KeyLimits, KeyRecord } from "#shared/accounts/account.ts";
import { findKey, listAllKeys } from "#shared/operations/admin/account-lists.ts";
import { checkKeyLimits, readKeyLimits } from "#shared/operations/api/key-limits.ts";
import { issueKey, keyObject } from "#shared/operations/api/keys.ts";
import { readSecret } from "#shared/platform/secrets.ts";
import {
  type Command,
  type Flags,
  needed,
  oneOf,
  organizationOf,
  type Stores,
  storesOf,
  text,
} from "./operator-call.ts";

const modes: readonly BillingMode[] = ["subscription", "payg"];

export const keyCommands: Record<string, Command> = {
  "key create": {
    synopsis:
      "--org ID --mode subscription|payg [--name N] [--project P] [--manage-keys]\n    [--rpm N] [--tpm N] [--tpd N] [--max-concurrency N]\n    [--budget-points X --budget-period day|month|total]",
    async run(call) {
      const { stores, connection } = await storesOf(call);
      const organization = await organizationOf(stores, text(call.flags, "org"));
      const mode = oneOf(needed(call.flags, "mode"), "--mode", modes);
      const limits = limitsOf(call.flags);
      checkKeyLimits({ limits, mode }, organization, stores.plan, stores.now());
      const pepper = () => readSecret(connection.aws, connection.pepperSecretArn);
      const { key, secret } = await issueKey(
        organization,
        {
          name: text(call.flags, "name") ?? "operator",
          mode,
          project: text(call.flags, "project") ?? "",
          permissions: call.flags["manage-keys"] ? ["manage_keys"] : [],
          limits,
          expires_at: null,
        },
        { ...stores, pepper },
      );
      return { value: keyObject(key, stores.now(), { secret }), ok: true };
    },
  },
  "key list": {
    synopsis: "--org ID (all keys of an organization, revoked ones too; never a secret)",
    async run(call) {
      const { stores } = await storesOf(call);
      const organization = await organizationOf(stores, needed(call.flags, "org"));
      return { value: await listAllKeys(organization, stores), ok: true };
    },
  },
  "key revoke": {
    synopsis: "KEY --org ID (from the next call on; repeating it changes nothing)",
    async run(call) {
      const { stores } = await storesOf(call);
      const organization = await organizationOf(stores, needed(call.flags, "org"));
      const [id] = call.operands;
      if (!id) throw new Error("give the id of the key; key list shows it");
      const revoked = await revoke(stores, organization.id, id);
      return { value: keyObject(revoked, stores.now()), ok: true };
    },
  },
};

/** Throws where the organization has no such key. */
async function revoke(stores: Stores, organization: string, id: string): Promise<KeyRecord> {
  const revoked = await stores.accounts.revokeKey(organization, id, stores.now());
  const key = revoked ?? (await findKey(organization, id, stores));
  if (!key) throw new Error(`the organization ${organization} has no key ${id}`);
  return key;
}

/** A key's own limits, from the flags of their names. Points stay text, as in the interface. */
function limitsOf(flags: Flags): KeyLimits | null {
  const counts = ["rpm", "tpm", "tpd", "max-concurrency"];
  const given = [...counts, "budget-points", "budget-period"].flatMap((name) => {
    const value = text(flags, name);
    if (value === undefined) return [];
    if (!counts.includes(name)) return [[name.replace("-", "_"), value]];
    if (!/^[1-9]\d{0,15}$/.test(value)) throw new Error(`--${name} takes a whole number from 1 on`);
    return [[name.replace("-", "_"), Number(value)]];
  });
  return readKeyLimits(Object.fromEntries(given));
}
