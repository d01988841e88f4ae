/** Signatures of webhooks by the Standard Webhooks scheme: `v1`, HMAC-SHA256 over id, time and body. */
import { createHmac, randomBytes } from "node:crypto";
import { openBox, sealBox } from "../identity/boxes.ts";
import type { KeyVersions, ReadKeys } from "../identity/identity-keys.ts";
import { newsLimits } from "./bounds.ts";
import type { SealedSecret, Webhook } from "./webhook.ts";

/** How secrets of webhooks begin, by the scheme. */
const prefix = "whsec_";

/** A new secret as its owner is shown it once, and as it is kept. Only the same webhook opens it again. */
export function newSecret(
  webhook: string,
  { current }: KeyVersions,
): { secret: string; sealed: SealedSecret } {
  const secret = randomBytes(newsLimits.secretBytes);
  return { secret: prefix + secret.toString("base64"), sealed: sealed(secret, webhook, current) };
}

/** The secrets of a webhook that sign at `now` (Unix milliseconds), the current one first. */
export function inForce({ secrets }: Pick<Webhook, "secrets">, now: number): SealedSecret[] {
  return secrets.filter(({ until }) => until === null || until > now);
}

/** The same secrets under the current version of the accounts' secret; undefined where all are already. */
export async function resealed(
  { id, secrets }: Pick<Webhook, "id" | "secrets">,
  keys: KeyVersions,
): Promise<SealedSecret[] | undefined> {
  if (secrets.every(({ version }) => version === keys.current.version)) return undefined;
  return await Promise.all(
    secrets.map(async (each) => ({
      ...sealed(await opened(id, each, async () => keys), id, keys.current),
      until: each.until,
    })),
  );
}

/** The headers of a message. `at`: when it is sent, Unix milliseconds. Its receiver refuses one that is old. */
export async function signedHeaders(
  { id, secrets }: Pick<Webhook, "id" | "secrets">,
  { message, body, at }: { message: string; body: string; at: number },
  readKeys: ReadKeys,
): Promise<Record<string, string>> {
  const seconds = Math.floor(at / 1000);
  const keys = await Promise.all(inForce({ secrets }, at).map((each) => opened(id, each, readKeys)));
  const signatures = keys.map(
    (key) => `v1,${createHmac("sha256", key).update(`${message}.${seconds}.${body}`).digest("base64")}`,
  );
  return {
    "webhook-id": message,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  };
}

function sealed(secret: Buffer, webhook: string, keys: KeyVersions["current"]): SealedSecret {
  return { ...sealBox(secret, boxOf(webhook), keys), until: null };
}

const boxOf = (webhook: string) => ({ key: "webhooks", context: webhook }) as const;

/** Throws where its version of the accounts' secret is gone. */
async function opened(webhook: string, secret: SealedSecret, readKeys: ReadKeys): Promise<Buffer> {
  const found = await openBox(secret, boxOf(webhook), readKeys);
  if (!found) throw new Error(`a secret of ${webhook} is under version ${secret.version}, which is gone`);
  return found;
}
