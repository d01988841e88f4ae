/** Asks a provider: a request goes out with the credential of its channel, in the form that its host has for it. */
import type { Send } from "../../base/platform/http-call.ts";
import type { Access } from "./credentials/index.ts";
import type { HostedCall, HostedRequest, ProviderRequest } from "./hosts/host.ts";
import { type ProviderAnswer, sendAs } from "./hosts/send-as.ts";

/**
 * Sends a request. Rejects with `TransportError`, with `ProviderFault` where the credential cannot be had, and with
 * `RequestBlamed` for what the host's form cannot carry.
 */
export async function ask(
  request: ProviderRequest,
  call: HostedCall,
  access: Access,
  send: Send,
): Promise<ProviderAnswer> {
  const { base_url, host } = access;
  const parts = host?.parts?.(request, call);
  if (parts) {
    // Few calls are for vectors or pictures of a cloud.
    const { askParts } = await import("./hosts/parts/ask-parts.ts");
    return await askParts(request, parts, access, send);
  }
  const hosted: HostedRequest = host?.request(request, call) ?? request;
  const { dropped = [], ...changed } = hosted;
  const { reply, secrets } = await sendAs(request, changed, access, send);
  const told = { dropped, confidential: { secrets, base_url } };
  return { ...told, reply: host?.reply ? await host.reply(reply, call) : reply };
}
