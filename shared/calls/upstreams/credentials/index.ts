/** Credentials by kind. A key goes into its header. The code of each other kind is loaded with its first call. */

import { limits } from "../../../base/limits.ts";
import type { Secrets } from "../../../base/platform/secrets.ts";
import type { OwnKey } from "../../../books/accounts/own-key.ts";
import type { Provider, ReadyChannel } from "../../../books/catalog/catalog.ts";
import {
  type CloudAuth,
  type CloudCredential,
  type CloudCredentials,
  isKeyAuth,
  type KeyAuth,
} from "../../../books/catalog/credential.ts";
import { filled } from "../../../books/catalog/provider.ts";
import type { CloudHost } from "../hosts/host.ts";
import { hostOf } from "../hosts/index.ts";
import { keyHeaders } from "../key-headers.ts";
import type { OwnKeys } from "../opened-keys.ts";
import type { Authorize, CloudDeps, CloudKind } from "./credential.ts";

/** What is known of a provider when one of its channels is called. */
export type CalledProvider = Pick<Provider, "auth" | "credential" | "host">;

/** A channel as it is called. */
export interface Access {
  base_url: string;
  authorize: Authorize;
  /** In whose form it is asked, where that is not the protocol's own. */
  host?: CloudHost;
}

export interface AccessPorts {
  secrets: Pick<Secrets, "provider">;
  clouds: Clouds;
}

/** The credentials of the clouds that a process has obtained. */
export interface Clouds {
  /** The region of the process. */
  region: string;
  /** What authorizes requests of a kind. The same question has the same answer, so that tokens are kept. */
  authorizer(auth: CloudAuth, told: CloudCredential, key: string | undefined): Promise<Authorize>;
}

/** For whom a provider is called. */
interface CallingOrganization {
  organization: { id: string };
}

/** The kinds of the clouds. */
const kinds: { [Auth in CloudAuth]: () => Promise<CloudKind<CloudCredentials[Auth]>> } = {
  aws_role: async () => (await import("./aws-role.ts")).awsRole,
  google: async () => (await import("./google.ts")).google,
  azure: async () => (await import("./azure.ts")).azure,
};

/** Credentials of the clouds for one process, of which none is there yet. */
export function createClouds(deps: CloudDeps): Clouds {
  // The one that was used last stands last.
  const known = new Map<string, Promise<Authorize>>();
  return {
    region: deps.aws.region,
    authorizer(auth, told, key) {
      const name = JSON.stringify([auth, told, key]);
      const made = known.get(name) ?? kinds[auth]().then((kind) => kind(told, key, deps));
      known.delete(name);
      known.set(name, made);
      const [oldest] = known.size > limits.cloudCredentialsMax ? known.keys() : [];
      if (oldest !== undefined) known.delete(oldest);
      return made;
    },
  };
}

/**
 * How a channel is called; undefined where a name that it needs is not set. `caller` is whom it is called for, if
 * that is not the house. Rejects like `Secrets.provider`.
 */
export async function accessTo(
  { auth, credential = {}, host, secret, needs }: CalledProvider & Pick<ReadyChannel, "secret" | "needs">,
  base_url: string,
  { secrets, clouds }: AccessPorts,
  caller?: CallingOrganization,
): Promise<Access | undefined> {
  const values: Record<string, string> = { region: clouds.region };
  for (const name of needs) {
    const value = await secrets.provider(name);
    if (value === undefined) return undefined;
    values[name] = value;
  }
  const fill = (text: string) => filled(text, (name) => values[name] ?? "");
  const key = needs.includes(secret) ? values[secret] : undefined;
  const authorize = isKeyAuth(auth)
    ? withKey(auth, key ?? "")
    : await clouds.authorizer(auth, filledIn(toldFor(credential, caller), fill), key);
  return { base_url: fill(base_url), authorize, ...(host && { host: await hostOf(host) }) };
}

/**
 * How a channel is called with the organization's own key, which is opened when a request is sent. The address is the
 * catalog's, and nothing of the providers' secret is in it.
 */
export function ownAccess(
  { auth, own }: Pick<CalledProvider, "auth"> & { own: OwnKey },
  base_url: string,
  { organization }: CallingOrganization,
  ownKeys: OwnKeys,
): Access {
  const authorize: Authorize = async () => {
    const key = await ownKeys.open(organization.id, own);
    // Only kinds of keys that are sent as they are take one (`takesOwnKey`).
    return { headers: keyHeaders(auth as KeyAuth, key), confidential: [key] };
  };
  return { base_url, authorize };
}

/** Puts a key into the header that its kind names. */
function withKey(auth: KeyAuth, key: string): Authorize {
  const headers = keyHeaders(auth, key);
  return () => ({ headers, confidential: [key] });
}

/** What a kind is told, with the organization where its sessions tell that. */
function toldFor(credential: CloudCredential, caller: CallingOrganization | undefined): CloudCredential {
  if (!caller || !("session_tags" in credential)) return credential;
  return { ...credential, organization: caller.organization.id };
}

function filledIn(told: CloudCredential, fill: (text: string) => string): CloudCredential {
  const entries = Object.entries(told).map(([name, value]) => [
    name,
    typeof value === "string" ? fill(value) : value,
  ]);
  return Object.fromEntries(entries);
}
