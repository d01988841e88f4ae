/** Asks a provider: a request goes out with the credential of its channel, in the form that its host has for it. */
import type { IncomingReply, Send } from "../../base/platform/http-call.ts";
import type { Access } from "./credentials/index.ts";
import type { HostedCall, HostedRequest, ProviderRequest } from "./hosts/host.ts";
import type { Confidential } from "./redaction.ts";

/** What a provider answers, and what of the question no client may read in it. */
export interface ProviderAnswer {
  reply: IncomingReply;
  /** Names of what the host had to be spared. */
  dropped: readonly string[];
  confidential: Confidential;
}

/** Sends a request. Rejects with `TransportError`, and with `ProviderFault` where the credential cannot be had. */
export async function ask(
  request: ProviderRequest,
  call: HostedCall,
  { base_url, authorize, host }: Access,
  send: Send,
): Promise<ProviderAnswer> {
  const hosted: HostedRequest = host?.request(request, call) ?? request;
  const { path, dropped = [], ...changed } = hosted;
  const asked = { ...request, ...changed, url: base_url + path };
  const authorizing = authorize(asked);
  // A key is at hand: its request leaves at once.
  const { headers, confidential } = authorizing instanceof Promise ? await authorizing : authorizing;
  const reply = await send({ ...asked, headers: { ...asked.headers, ...headers } });
  const told = { dropped, confidential: { secrets: confidential, base_url } };
  return { ...told, reply: host?.reply ? await host.reply(reply, call) : reply };
}
