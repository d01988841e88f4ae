/** Organizations' own keys at providers: which channels go with them (own-keys.md). */
import type { Organization } from "../../books/accounts/account.ts";
import type { OwnKey, OwnKeyUse } from "../../books/accounts/own-key.ts";
import type { Model, Provider, ReadyChannel } from "../../books/catalog/catalog.ts";
import { channelId } from "../../books/catalog/channel-id.ts";
import { isKeyAuth } from "../../books/catalog/credential.ts";

/** A channel that goes with the organization's own key, where it has an `own`. */
interface OwnChannel extends ReadyChannel, Pick<Provider, "auth" | "host"> {
  own?: OwnKey;
}

/**
 * Whether an organization can have a key of its own at a provider: its calls carry a key as it is, to an address that
 * names no account of ours. Credential files of the clouds are not taken.
 */
export function takesOwnKey({
  auth,
  host,
  protocols,
}: Pick<Provider, "auth" | "host" | "protocols">): boolean {
  return isKeyAuth(auth) && host === undefined && !Object.values(protocols).some((url) => url.includes("{"));
}

/**
 * Whether no key of ours may serve calls of a model: at one of its providers there is a key that serves alone. The
 * catalog's model decides, because a policy may have cut that provider's channels from the one of the call.
 */
export function isAlone(model: CutModel, keys: readonly OwnKey[] | undefined, catalog: WholeModels): boolean {
  if (keys === undefined || keys.length === 0) return false;
  const { channels } = catalog.find(model.id) ?? model;
  return keys.some((key) => key.use === "only" && channels.some(({ provider }) => provider === key.provider));
}

type CutModel = Pick<Model, "id" | "channels">;
interface WholeModels {
  find(name: string): Model | undefined;
}

/** The catalog's priorities begin at 0. */
const priorities: Record<OwnKeyUse, number> = { only: 0, first: -1, after: Number.MAX_SAFE_INTEGER };

/**
 * The channels that may serve a call of the organization: those with its own keys, and ours, unless the model has a
 * provider at which the organization has a key that serves alone. A channel with its key has a name of its own, so that
 * nothing of it is seen by others, and no cost of ours.
 */
export function withOwnKeys<Channel extends OwnChannel>(
  channels: Channel[],
  model: CutModel,
  organization: Pick<Organization, "id" | "provider_keys">,
  catalog: WholeModels,
): Channel[] {
  const { provider_keys: keys = [] } = organization;
  if (keys.length === 0) return channels;
  const own = ownChannels(channels, organization);
  return isAlone(model, keys, catalog) ? own : [...own, ...channels];
}

/** The channels that go with the organization's own keys, in the place of those of the same providers. */
export function ownChannels<Channel extends OwnChannel>(
  channels: Channel[],
  { id, provider_keys: keys = [] }: Pick<Organization, "id" | "provider_keys">,
): Channel[] {
  const keyAt = (name: string) => keys.find(({ provider }) => provider === name);
  const own = new Map<string, Channel>();
  for (const channel of channels) {
    const key = keyAt(channel.provider);
    if (!key || channel.host !== undefined || !isKeyAuth(channel.auth)) continue;
    const { cost: _, ...rest } = channel;
    const name = channelId(channel.provider, channel.model, `own ${id}`);
    const priority = key.use === "only" ? channel.priority : priorities[key.use];
    // A provider with several keys of ours has a channel of each. The organization has one key.
    if (!own.has(name))
      own.set(name, { ...(rest as Channel), id: name, secret: `own ${id}`, needs: [], priority, own: key });
  }
  return [...own.values()];
}
