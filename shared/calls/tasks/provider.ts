/** The providers' task API over HTTP (protocols.md §4.4), and what is certain after each of its answers. */

import { limits } from "../../base/limits.ts";
import { readAll, send, TransportError } from "../../base/platform/http-client.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import type { Secrets } from "../../base/platform/secrets.ts";
import { isKeyAuth, type KeyAuth } from "../../books/catalog/credential.ts";
import type { ModelCatalog } from "../../books/catalog/models.ts";
import { addressedTo } from "../protocols/ark-video/addressed.ts";
import type { ProviderTask } from "../protocols/ark-video/answers.ts";
import type { AccountReason } from "../upstreams/account.ts";
import { keyHeaders } from "../upstreams/key-headers.ts";
import type { Renderer, TaskCreation } from "./deps.ts";
import type { Task } from "./task.ts";

type Upstream = NonNullable<Task["upstream"]>;

interface Reached {
  auth: KeyAuth;
  base_url: string;
  /** The key, alone in a list, as those who redact want it. */
  secrets: readonly [string];
  callMs: number;
  trace?: Task["trace"];
}

interface ProviderDeps {
  catalog: Pick<ModelCatalog, "provider">;
  secrets: Pick<Secrets, "provider">;
  log: Log;
  callMs?: number;
}

const path = "/contents/generations/tasks";
/** Most calls of the gateway make no video, so what reads these answers is loaded with the first. */
const readAnswers = () => import("./provider-answers.ts");

/** The providers of a catalog. */
export function createRenderer(deps: ProviderDeps): Renderer {
  const reach = async (name: string): Promise<Reached> => {
    const reached = await find(name, deps);
    if (!reached) throw new Error(`no address or credential of provider ${name}`);
    return reached;
  };

  const ask = async (upstream: Upstream, method: "GET" | "DELETE") => {
    const reached = await reach(upstream.provider);
    const place = `${path}/${encodeURIComponent(upstream.id)}`;
    return { ...(await exchange(reached, method, place, "")), reached };
  };

  const rendering = async (upstream: Upstream): Promise<ProviderTask> => {
    const answered = await ask(upstream, "GET");
    return (await readAnswers()).renderingOf(answered);
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
      find(provider, deps).then(
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

    read: (upstream) => orElse<ProviderTask>(upstream, rendering(upstream), { state: "unknown" }),

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

/** How a provider is reached; undefined where its address or its key is not known. Video is asked for with keys alone. */
async function find(
  name: string,
  { catalog, secrets, callMs = limits.taskCallMs }: ProviderDeps,
): Promise<Reached | undefined> {
  const provider = catalog.provider(name);
  const base_url = provider?.protocols.ark;
  const key = provider?.secret && (await secrets.provider(provider.secret));
  if (!key || !base_url || !isKeyAuth(provider.auth)) return undefined;
  return { auth: provider.auth, base_url, secrets: [key], callMs };
}

/** Sends a task. Calls `accountRefused` where the provider refuses our account. */
async function create(
  reached: Reached,
  request: Buffer,
  accountRefused: (status: number, reason: AccountReason) => void,
): Promise<TaskCreation> {
  let status: number;
  let bytes: Buffer;
  let answers: Awaited<ReturnType<typeof readAnswers>>;
  try {
    // Once the task is sent, nothing is left that could not be loaded.
    answers = await readAnswers();
    ({ status, bytes } = await exchange(reached, "POST", path, request));
  } catch (error) {
    const unsent = error instanceof TransportError && error.phase === "connect";
    return { kind: unsent ? "nothing" : "uncertain", reason: describeError(error) };
  }
  const { account, ...creation } = answers.creationOf({ status, bytes, reached });
  if (account) accountRefused(status, account);
  return creation;
}

async function exchange(
  { auth, base_url, secrets: [key], callMs, trace }: Reached,
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
      ...keyHeaders(auth, key),
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
