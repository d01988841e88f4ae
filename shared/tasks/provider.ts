/** The providers' task API over HTTP (protocols.md §4.4), and what is certain after each of its answers. */

import type { Provider } from "../catalog/catalog.ts";
import type { ModelCatalog } from "../catalog/models.ts";
import { limits } from "../limits.ts";
import { readAll, send, TransportError } from "../platform/http-client.ts";
import { describeError, type Log } from "../platform/log.ts";
import type { Secrets } from "../platform/secrets.ts";
import { type Rendering, readCreated, readTask } from "../protocols/ark-video/answers.ts";
import { addressedTo } from "../protocols/ark-video/request.ts";
import { type AccountReason, accountReason } from "../upstreams/account.ts";
import { authHeaders } from "../upstreams/channels.ts";
import { readProviderError } from "../upstreams/provider-error.ts";
import { redact, safeCode, tellsSecret } from "../upstreams/redaction.ts";
import { blamesRequest, requestRefused } from "../upstreams/refusal.ts";
import type { Creation, Renderer } from "./deps.ts";
import type { Task } from "./task.ts";

type Upstream = NonNullable<Task["upstream"]>;

interface Reached {
  provider: Provider;
  base_url: string;
  secret: string;
  callMs: number;
  trace?: Task["trace"];
}

interface Answered {
  status: number;
  bytes: Buffer;
  reached: Reached;
}

interface ProviderDeps {
  catalog: Pick<ModelCatalog, "provider">;
  secrets: Pick<Secrets, "provider">;
  log: Log;
  callMs?: number;
}

const path = "/contents/generations/tasks";
const failedCode = "GenerationFailed";
const refusal = { code: "InvalidRequest", message: "The provider refused the request." };

/** The providers of a catalog. */
export function createRenderer(deps: ProviderDeps): Renderer {
  const { callMs = limits.taskCallMs } = deps;

  const find = async (name: string): Promise<Reached | undefined> => {
    const provider = deps.catalog.provider(name);
    const base_url = provider?.protocols.ark;
    const secret = provider && (await deps.secrets.provider(provider.secret));
    return provider && base_url && secret ? { provider, base_url, secret, callMs } : undefined;
  };

  const reach = async (name: string): Promise<Reached> => {
    const reached = await find(name);
    if (!reached) throw new Error(`no address or credential of provider ${name}`);
    return reached;
  };

  const ask = async (upstream: Upstream, method: "GET" | "DELETE") => {
    const reached = await reach(upstream.provider);
    const place = `${path}/${encodeURIComponent(upstream.id)}`;
    return { ...(await exchange(reached, method, place, "")), reached };
  };

  /** The answer to a question, or `none` where there is no answer. */
  const orElse = async <Answer>(
    upstream: Upstream,
    answer: Promise<Answer>,
    none: Answer,
  ): Promise<Answer> => {
    try {
      return await answer;
    } catch (error) {
      const { provider, id } = upstream;
      deps.log("warn", "task_unanswered", { provider, upstream: id, error: describeError(error) });
      return none;
    }
  };

  return {
    reaches: (provider) =>
      find(provider).then(
        (reached) => reached !== undefined,
        () => true,
      ),

    async create(channel, request, trace) {
      let reached: Reached;
      let body: Buffer;
      try {
        reached = { ...(await reach(channel.provider)), trace };
        body = addressedTo(request, channel.model);
      } catch (error) {
        return { kind: "nothing", reason: describeError(error) };
      }
      const refused = (status: number, reason: AccountReason) =>
        deps.log("error", "task_account_refused", {
          provider: channel.provider,
          upstream_status: status,
          reason,
        });
      return await create(reached, body, refused);
    },

    read: (upstream) =>
      orElse<Rendering>(upstream, ask(upstream, "GET").then(renderingOf), { state: "unknown" }),

    cancel: (upstream) =>
      orElse(
        upstream,
        ask(upstream, "DELETE").then(({ status }) => {
          if (status < 200 || status > 299) throw new Error(`status ${status}`);
          return true;
        }),
        false,
      ),
  };
}

/** The state that an answer reports. Throws where it reports none: a 404 may come from a replica that lags behind. */
function renderingOf({ status, bytes, reached }: Answered): Rendering {
  if (status !== 200) throw new Error(`status ${status}`);
  const rendering = readTask(bytes);
  if (rendering.state === "unknown") throw new Error("an answer without a state that we know");
  if (rendering.state === "succeed" && tellsSecret(rendering.video.url ?? "", reached)) {
    throw new Error("the video's address tells our key");
  }
  if (rendering.state !== "failed") return rendering;
  const code = safeCode(rendering.code, reached) ?? failedCode;
  return { ...rendering, code, message: redact(rendering.message, reached) };
}

/** Sends a task. Calls `accountRefused` where the provider refuses our account. */
async function create(
  reached: Reached,
  request: Buffer,
  accountRefused: (status: number, reason: AccountReason) => void,
): Promise<Creation> {
  let status: number;
  let bytes: Buffer;
  try {
    ({ status, bytes } = await exchange(reached, "POST", path, request));
  } catch (error) {
    const unsent = error instanceof TransportError && error.phase === "connect";
    return { kind: unsent ? "nothing" : "uncertain", reason: describeError(error) };
  }
  const account = status >= 400 ? accountReason(status, readProviderError(bytes)) : undefined;
  if (account) accountRefused(status, account);
  if (blamesRequest(status) && !account) {
    const { message, upstream_code } = requestRefused(bytes, reached).detail;
    const error = { code: upstream_code ?? refusal.code, message: message ?? refusal.message };
    return { kind: "refused", error };
  }
  // A 4xx is certain: nothing was created. A server that fails may do so after it has created the task.
  if (status >= 400 && status <= 499) return { kind: "nothing", reason: `status ${status}` };
  const id = status >= 200 && status <= 299 ? readCreated(bytes) : undefined;
  return id === undefined ? { kind: "uncertain", reason: `status ${status}` } : { kind: "created", id };
}

async function exchange(
  { provider, base_url, secret, callMs, trace }: Reached,
  method: "GET" | "POST" | "DELETE",
  place: string,
  body: Buffer | "",
): Promise<{ status: number; bytes: Buffer }> {
  const reply = await send({
    method,
    url: base_url + place,
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "model-gateway",
      ...trace,
      ...authHeaders(provider, secret),
    },
    body,
    connectMs: limits.upstreamConnectMs,
    firstByteMs: callMs,
    idleMs: callMs,
    // Without this an answer that trickles in byte by byte could outlast the worker.
    signal: AbortSignal.timeout(callMs),
    ...(method === "GET" ? {} : { once: true }),
  });
  return { status: reply.status, bytes: await readAll(reply, limits.taskReplyBytesMax) };
}
