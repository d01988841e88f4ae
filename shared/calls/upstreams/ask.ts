/** Asks a provider: a request goes out with the credential of its channel. */
import type { IncomingReply, OutgoingRequest, Send } from "../../base/platform/http-call.ts";
import type { Access } from "./credentials/index.ts";
import type { Confidential } from "./redaction.ts";

/** A request to a provider, which its base URL and its credential make whole. */
export interface ProviderRequest extends Omit<OutgoingRequest, "url"> {
  /** Behind the base URL. */
  path: string;
}

/** What a provider answers, and what of the question no client may read in it. */
export interface ProviderAnswer {
  reply: IncomingReply;
  confidential: Confidential;
}

/** Sends a request. Rejects with `TransportError`, and with `ProviderFault` where the credential cannot be had. */
export async function ask(
  { path, ...request }: ProviderRequest,
  { base_url, authorize }: Access,
  send: Send,
): Promise<ProviderAnswer> {
  const asked = { ...request, url: base_url + path };
  const authorizing = authorize(asked);
  // A key is at hand: its request leaves at once.
  const { headers, confidential } = authorizing instanceof Promise ? await authorizing : authorizing;
  const reply = await send({ ...asked, headers: { ...asked.headers, ...headers } });
  return { reply, confidential: { secrets: confidential, base_url } };
}
