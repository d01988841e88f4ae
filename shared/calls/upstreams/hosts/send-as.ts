/** Sends a request to a provider, in whose form it may be. */
import type { IncomingReply, Send } from "../../../base/platform/http-call.ts";
import type { Authorize } from "../credentials/credential.ts";
import type { Confidential } from "../redaction.ts";
import type { HostedRequest, ProviderRequest } from "./host.ts";

/** What a provider answers, and what of the question no client may read in it. */
export interface ProviderAnswer {
  reply: IncomingReply;
  /** Names of what the host had to be spared. */
  dropped: readonly string[];
  confidential: Confidential;
}

/** Sends a request in the form that a host has for it. `secrets` is what of its credential an answer may repeat. */
export async function sendAs(
  request: ProviderRequest,
  { path, ...changed }: Omit<HostedRequest, "dropped">,
  { base_url, authorize }: { base_url: string; authorize: Authorize },
  send: Send,
): Promise<{ reply: IncomingReply; secrets: Confidential["secrets"] }> {
  const asked = { ...request, ...changed, url: base_url + path };
  const authorizing = authorize(asked);
  // A key is at hand: its request leaves at once.
  const { headers, confidential, refused } = authorizing instanceof Promise ? await authorizing : authorizing;
  const reply = await send({ ...asked, headers: { ...asked.headers, ...headers } });
  if (reply.status === 401 || reply.status === 403) refused?.(reply);
  return { reply, secrets: confidential };
}
