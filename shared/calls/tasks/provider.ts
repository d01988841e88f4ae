/** The providers' task API over HTTP (protocols.md §4.4), and what is certain after each of its answers. */

import { limits } from "../../base/limits.ts";
import { readAll, send, TransportError } from "../../base/platform/http-client.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import type { Secrets } from "../../base/platform/secrets.ts";
import type { OwnKey } from "../../books/accounts/own-key.ts";
import { isKeyAuth, type KeyAuth } from "../../books/catalog/credential.ts";
import type { ModelCatalog } from "../../books/catalog/models.ts";
import { addressedTo } from "../protocols/ark-video/addressed.ts";
import type { ProviderTask } from "../protocols/ark-video/answers.ts";
import { keyHeaders } from "../upstreams/key-headers.ts";
import type { OwnKeys } from "../upstreams/opened-keys.ts";
import type { Renderer, TaskCreation } from "./deps.ts";
import type { TakenTask } from "./own-keys.ts";
import type { Task } from "./task.ts";

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
  ownKeys: OwnKeys;
  log: Log;
  callMs?: number;
}

/** Whom a call is for: a provider, with a key of ours, or of this organization. */
interface Addressee {
  provider: string;
  organization: string;
  own?: OwnKey | undefined;
}

const path = "/contents/generations/tasks";
/** Most calls of the gateway make no video, so what reads these answers is loaded with the first. */
const readAnswers = () => import("./provider-answers.ts");

/** The providers of a catalog. */
export function createRenderer(deps: ProviderDeps): Renderer {
  const reach = async (addressee: Addressee): Promise<Reached> => {
    const reached = await find(addressee, deps);
    if (!reached) throw new Error(`no address or credential of provider ${addressee.provider}`);
    return reached;
  };

  const ask = async (taken: TakenTask, method: "GET" | "DELETE") => {
    const reached = await reach(taken);
    const place = `${path}/${encodeURIComponent(taken.id)}`;
    return { ...(await exchange(reached, method, place, "")), reached };
  };

  const rendering = async (taken: TakenTask): Promise<ProviderTask> => {
    const answered = await ask(taken, "GET");
    return (await readAnswers()).renderingOf(answered);
  };

  /** The answer to a question, or `none` where there is no answer. */
  const orElse = async <Answer>(
    { provider, id }: TakenTask,
    answer: Promise<Answer>,
    none: Answer,
  ): Promise<Answer> => {
    try {
      return await answer;
    } catch (error) {
      deps.log("warn", "task_unanswered", { provider, upstream: id, error: describeError(error) });
      return none;
    }
  };

  return {
    async reaches({ provider, own }) {
      // A key of an organization is opened when it is needed, as in chats.
      if (own) return placeOf(provider, deps) !== undefined;
      return await ourKey(provider, deps).then(
        (key) => Boolean(key) && placeOf(provider, deps) !== undefined,
        () => true,
      );
    },

    async create({ provider, own, model }, request, { organization, trace }) {
      let reached: Reached;
      let body: Buffer;
      try {
        reached = { ...(await reach({ provider, organization, own })), trace };
        body = addressedTo(request, model);
      } catch (error) {
        return { kind: "nothing", reason: describeError(error) };
      }
      return await create(reached, body);
    },

    read: (taken) => orElse<ProviderTask>(taken, rendering(taken), { state: "unknown" }),

    cancel: (taken) =>
      orElse(
        taken,
        ask(taken, "DELETE").then(({ status }) => {
          if (status < 200 || status > 299) throw new Error(`status ${status}`);
          return true;
        }),
        false,
      ),
  };
}

/** How a provider is reached; undefined where its address or its key is not known. */
async function find(
  { provider, organization, own }: Addressee,
  deps: ProviderDeps,
): Promise<Reached | undefined> {
  const place = placeOf(provider, deps);
  const key = own ? await deps.ownKeys.open(organization, own) : await ourKey(provider, deps);
  return place && key ? { ...place, secrets: [key], callMs: deps.callMs ?? limits.taskCallMs } : undefined;
}

/** Where a provider makes videos; undefined where it makes none. Video is asked for with keys alone. */
function placeOf(
  name: string,
  { catalog }: Pick<ProviderDeps, "catalog">,
): Pick<Reached, "auth" | "base_url"> | undefined {
  const provider = catalog.provider(name);
  const base_url = provider?.protocols.ark;
  return base_url && isKeyAuth(provider.auth) ? { auth: provider.auth, base_url } : undefined;
}

async function ourKey(
  name: string,
  { catalog, secrets }: Pick<ProviderDeps, "catalog" | "secrets">,
): Promise<string | undefined> {
  const secret = catalog.provider(name)?.secret;
  return secret ? await secrets.provider(secret) : undefined;
}

/** Sends a task. */
async function create(reached: Reached, request: Buffer): Promise<TaskCreation> {
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
  return answers.creationOf({ status, bytes, reached });
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
