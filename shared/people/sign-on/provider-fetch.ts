/** Requests to an organization's provider. Its address is a stranger's, so it leads to the public Internet alone. */
import type { Send } from "../../base/platform/http-call.ts";
import { readAll } from "../../base/platform/http-client.ts";
import { checkHost, publicLookup } from "../../base/platform/public-address.ts";
import { signOnLimits } from "./bounds.ts";

export interface ProviderFetchDeps {
  send: Send;
  /** Where a local machine plays providers: the one address that may be private and without TLS. Absent on AWS. */
  sandbox?: string;
  /** How names are resolved; the system's DNS outside tests. */
  resolve?: Parameters<typeof publicLookup>[0];
}

/** Whether a URL leads to the local stand-in. */
export function isSandbox(url: URL, { sandbox }: Pick<ProviderFetchDeps, "sandbox">): boolean {
  return sandbox !== undefined && url.origin === new URL(sandbox).origin;
}

interface Asked {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

/**
 * One request, as `fetch` would answer it. It follows no redirect and has bounds of time and size. Rejects where the
 * address is not public or has no TLS, and where no whole answer comes.
 */
export async function fetchProvider(
  address: string,
  { method, headers, body }: Asked,
  deps: ProviderFetchDeps,
): Promise<Response> {
  const url = new URL(address);
  const isLocal = isSandbox(url, deps);
  if (!isLocal && url.protocol !== "https:") throw new Error("a provider is asked over TLS alone");
  if (!isLocal) checkHost(url);
  const { connectMs, answerMs, answerBytesMax } = signOnLimits;
  const reply = await deps.send({
    ...{ method, url: url.href, headers: { ...headers }, body: textOf(body), once: true },
    ...{ connectMs, firstByteMs: answerMs, idleMs: answerMs },
    signal: AbortSignal.timeout(answerMs),
    ...(!isLocal && { lookup: publicLookup(deps.resolve) }),
  });
  const bytes = await readAll(reply, answerBytesMax);
  const told = new Headers();
  for (const [name, value] of Object.entries(reply.headers)) if (value !== undefined) told.set(name, value);
  // These have no body, and `Response` refuses one.
  const hasBody = ![101, 204, 205, 304].includes(reply.status);
  return new Response(hasBody ? new Uint8Array(bytes) : null, { status: reply.status, headers: told });
}

/** A body as text: the client sends none, a text, or a form. */
function textOf(body: unknown): string {
  if (body === undefined || body === null) return "";
  return typeof body === "string" || body instanceof URLSearchParams ? String(body) : "";
}
