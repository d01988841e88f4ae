/** An organization's own keys at providers, as its owners and admins give and see them (calls/upstreams/own-keys.md). */
import { GatewayError, invalidState } from "../../../base/errors.ts";
import { jsonReply } from "../../../base/http/message.ts";
import { invalidField } from "../../../base/json/fields.ts";
import type { Aws } from "../../../base/platform/aws.ts";
import { seal } from "../../../base/platform/envelope.ts";
import { type Send, TransportError } from "../../../base/platform/http-call.ts";
import type { Accounts } from "../../../books/accounts/account.ts";
import { type OwnKey, ownKeyContext } from "../../../books/accounts/own-key.ts";
import type { Provider } from "../../../books/catalog/catalog.ts";
import type { ModelCatalog } from "../../../books/catalog/models.ts";
import { takesOwnKey } from "../../../calls/upstreams/own-keys.ts";
import type { AuditKind } from "../../../people/identity/audit.ts";
import type { Members } from "../../../people/identity/members.ts";
import {
  ownKeyFacts,
  readOwnKey,
  readOwnKeyUse,
  showOwnKey,
  withOwnKey,
  withoutOwnKey,
} from "../../api/own-keys.ts";
import type { ConsoleBody } from "../../openapi/route-types.ts";
import { readFields } from "../body.ts";
import { type ConsoleCall, callerOf } from "../call.ts";
import { changeRows } from "./organization-budgets.ts";

export interface OwnKeyDeps {
  accounts: Pick<Accounts, "organization">;
  members: Pick<Members, "changeOrganization">;
  catalog: Pick<ModelCatalog, "providers" | "provider" | "ownFee">;
  /** The KMS key under which they are sealed. Absent: none is taken. */
  sealing: { aws: Aws; kmsKey: string } | undefined;
  /** Asks a provider. */
  send: Send;
  now: () => number;
}

/** `GET /api/v1/provider-keys`: every provider at which the organization can have a key, or has one. */
export async function listProviderKeys(call: ConsoleCall, { catalog }: OwnKeyDeps) {
  const { provider_keys: keys = [] } = callerOf(call).organization;
  const offered = Object.entries(catalog.providers()).filter(([, provider]) => takesOwnKey(provider));
  const names = new Set([...offered.map(([name]) => name), ...keys.map(({ provider }) => provider)]);
  const data = [...names].sort().map((name) => showOwnKey(name, keyAt(keys, name)));
  const fee = catalog.ownFee();
  return jsonReply({
    object: "list",
    data,
    fee: fee ? { share: "share" in fee ? fee.share : null, call: "call" in fee ? fee.call : null } : null,
  });
}

type KeyField = keyof ConsoleBody<"put_provider_key">;

/**
 * `PUT /api/v1/provider-keys/{provider} {key?, use?}`: gives the organization a key, which the provider is asked about
 * first, or changes when the one that is there serves. A key that the provider refuses is not kept.
 */
export async function putProviderKey(call: ConsoleCall, deps: OwnKeyDeps) {
  const fields = readFields<KeyField>(call.request, ["key", "use"]);
  const { name, provider } = providerNamed(call, deps);
  const use = readOwnKeyUse(fields.use);
  const { organization } = callerOf(call);
  if (fields.key === undefined) {
    if (!use || !keyAt(organization.provider_keys ?? [], name))
      throw invalidField("key", "the provider's key");
    return await change(call, name, "provider_key_set", (before) => withUse(before, name, use), deps);
  }
  const key = readOwnKey(fields.key);
  if (!deps.sealing || !deps.catalog.ownFee())
    throw invalidState("Provider keys of organizations are not taken here.");
  await checkKey(name, provider, key, deps);
  const { aws, kmsKey } = deps.sealing;
  const sealed = await seal(aws, kmsKey, key, ownKeyContext(organization.id, name));
  const set = { provider: name, sealed, last_four: key.slice(-4), set_at: deps.now() };
  const give = (before: readonly OwnKey[]) =>
    withOwnKey(before, { ...set, use: use ?? keyAt(before, name)?.use ?? "only" });
  return await change(call, name, "provider_key_set", give, deps);
}

/** `DELETE /api/v1/provider-keys/{provider}`. The next call goes without it, or in the time that a process knows it. */
export async function removeProviderKey(call: ConsoleCall, deps: OwnKeyDeps) {
  const { provider = "" } = call.parameters;
  const take = (before: readonly OwnKey[]) => {
    if (!keyAt(before, provider)) throw noKey(provider);
    return withoutOwnKey(before, provider);
  };
  return await change(call, provider, "provider_key_removed", take, deps);
}

function keyAt(keys: readonly OwnKey[], name: string): OwnKey | undefined {
  return keys.find(({ provider }) => provider === name);
}

function withUse(before: readonly OwnKey[], name: string, use: OwnKey["use"]): OwnKey[] {
  const key = keyAt(before, name);
  if (!key) throw noKey(name);
  return withOwnKey(before, { ...key, use });
}

function noKey(provider: string): GatewayError {
  const message = `The organization has no key of its own at ${JSON.stringify(provider)}.`;
  return new GatewayError("not_found", { message });
}

/** The provider of the path. Throws `not_found` for one that is not in the catalog or takes no key. */
function providerNamed(
  { parameters: { provider: name = "" } }: ConsoleCall,
  { catalog }: OwnKeyDeps,
): { name: string; provider: Provider } {
  const provider = catalog.provider(name);
  if (provider && takesOwnKey(provider)) return { name, provider };
  const message = `There is no provider ${JSON.stringify(name)} that takes a key of an organization.`;
  throw new GatewayError("not_found", { message });
}

/** Asks the provider. Throws where it refuses the key, or cannot be asked. Nothing of what it says is told. */
async function checkKey(name: string, provider: Provider, key: string, { send }: OwnKeyDeps): Promise<void> {
  const { refusalOfKey } = await import("../../../calls/upstreams/own-key-check.ts");
  const refusal = await refusalOfKey(provider, key, send).catch((error: unknown) => {
    if (error instanceof TransportError) return "silence" as const;
    throw error;
  });
  if (refusal === undefined) return;
  if (refusal === "silence") {
    const message = `${name} could not be asked about the key, so it was not kept. Try again shortly.`;
    throw new GatewayError("upstream_error", { message });
  }
  const whys = {
    key: "says that the key is not valid",
    money: "says that its account has no money left",
    place: "does not serve its account here",
  };
  const message = `${name} ${whys[refusal]}. It was not kept.`;
  throw new GatewayError("invalid_request", { message, reason: "key_refused" });
}

/** Changes the keys, with a line of the audit log, and answers with the one at this provider. */
async function change(
  call: ConsoleCall,
  provider: string,
  kind: AuditKind,
  of: (before: readonly OwnKey[]) => OwnKey[],
  deps: OwnKeyDeps,
) {
  const { rows } = await changeRows(
    call,
    ({ provider_keys: before = [] }) => {
      const after = of(before);
      const facts = {
        before: ownKeyFacts(keyAt(before, provider)),
        after: ownKeyFacts(keyAt(after, provider)),
      };
      return { rows: after, line: { kind, subject: provider, ...facts } };
    },
    (organization, provider_keys, entry) =>
      deps.members.changeOrganization({ organization, provider_keys, entries: [entry] }),
    deps,
  );
  return jsonReply(showOwnKey(provider, keyAt(rows, provider)));
}
