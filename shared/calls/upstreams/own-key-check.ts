/** Asks a provider whether it takes a key, by its list of models, which costs nothing. Loaded with the first such key. */
import { readAll, type Send } from "../../base/platform/http-client.ts";
import type { Provider, ProviderProtocol } from "../../books/catalog/catalog.ts";
import { isKeyAuth } from "../../books/catalog/credential.ts";
import { type AccountReason, accountReason, isCertain } from "./account.ts";
import { keyHeaders } from "./key-headers.ts";
import { readProviderError } from "./provider-error.ts";

/** Where each protocol has its list of models, behind the base URL. */
const lists: Readonly<Record<ProviderProtocol, { path: string; headers?: Record<string, string> }>> = {
  openai: { path: "/models" },
  responses: { path: "/models" },
  anthropic: { path: "/v1/models", headers: { "anthropic-version": "2023-06-01" } },
  gemini: { path: "/v1beta/models" },
  ark: { path: "/models" },
  zhipu: { path: "/models" },
  converse: { path: "/models" },
};

/** Hosts that show their models to everybody, and where they tell of a key (OpenRouter, "Get current API key"). */
const tellingPaths: Readonly<Record<string, string>> = { "openrouter.ai": "/key" };

/** How long a connection may take and how long the provider may be silent, milliseconds. */
const [connectMs, silentMs] = [3_000, 8_000];
const answerBytesMax = 8_388_608;

/**
 * Why the provider refuses the key; undefined where it does not. Only what is certain refuses: a key that may not list
 * models may well call them. Rejects with `TransportError` where nobody answers. What the provider says goes to nobody.
 */
export async function refusalOfKey(
  { protocols, auth }: Provider,
  key: string,
  send: Send,
): Promise<AccountReason | "silence" | undefined> {
  const [[protocol, base_url] = []] = Object.entries(protocols) as [ProviderProtocol, string][];
  if (protocol === undefined || base_url === undefined || !isKeyAuth(auth)) return undefined;
  const { path, headers } = lists[protocol];
  const reply = await send({
    method: "GET",
    url: base_url + (tellingPaths[new URL(base_url).hostname] ?? path),
    headers: {
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "model-gateway",
      ...headers,
      ...keyHeaders(auth, key),
    },
    body: "",
    ...{ connectMs, firstByteMs: silentMs, idleMs: silentMs },
  });
  const { status } = reply;
  const error = readProviderError(await readAll(reply, answerBytesMax));
  if (status >= 500) return "silence";
  if (status < 400 || status === 429) return undefined;
  return isCertain(status, error) ? accountReason(status, error) : undefined;
}
