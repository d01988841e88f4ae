/** Asks the models of a provider at a cloud whether they may be called, with the credential that the gateway would have. */
import { objectIn } from "../../base/json/fields.ts";
import type { AwsOptions } from "../../base/platform/aws.ts";
import { readAll, type Send, send, TransportError } from "../../base/platform/http-client.ts";
import type { ProviderProtocol } from "../../books/catalog/catalog.ts";
import { accountNames, keyNames, valueNames } from "../../books/catalog/provider.ts";
import { ask } from "../../calls/upstreams/ask.ts";
import { type Access, accessTo, type Clouds, createClouds } from "../../calls/upstreams/credentials/index.ts";
import { ProviderFault } from "../../calls/upstreams/fault.ts";
import { readProviderError } from "../../calls/upstreams/provider-error.ts";
import type { CloudProvider } from "./cloud-providers.ts";
import {
  type CloudQuestion,
  counting,
  listing,
  type ModelProblem,
  probing,
  probingVectors,
  problemIn,
} from "./cloud-questions.ts";

/** How clouds are asked. */
export interface CloudDoors {
  /** The credentials that this process can have. */
  clouds: Clouds;
  send: Send;
  /** Whether each model is asked for a token, which costs it. */
  probe: boolean;
}

/** Doors that are opened by the role of this process. */
export function openDoors(aws: Pick<AwsOptions, "region" | "credentials">, probe: boolean): CloudDoors {
  return { clouds: createClouds({ aws, send, now: Date.now }), send, probe };
}

interface ModelAnswer {
  model: string;
  /** Why it may not be called; undefined where it may. */
  problem: ModelProblem | undefined;
}

/** What was seen of a provider. */
export type CloudOutcome =
  /** What each of its models answered. */
  | { of: "models"; answers: ModelAnswer[] }
  /** What it answered for all of its models, which could not be asked one by one. */
  | { of: "list"; problem: ModelProblem | undefined }
  /** Nothing of it can be asked for nothing. */
  | { of: "nothing" }
  /** Why no credential can be had. `by_role`: another role may have more luck. */
  | { of: "credential"; said: string; by_role: boolean }
  /** Nobody answered. */
  | { of: "silence"; said: string };

/** Asks a provider whose names are all among the keys. Rejects for nothing that a provider or a token service does. */
export async function askCloud(
  called: CloudProvider,
  keys: ReadonlyMap<string, string>,
  doors: CloudDoors,
): Promise<CloudOutcome> {
  const { provider } = called;
  const [[dialect, base_url] = []] = Object.entries(provider.protocols) as [ProviderProtocol, string][];
  if (dialect === undefined || base_url === undefined) return { of: "nothing" };
  try {
    const access = await openProvider(called, base_url, keys, doors);
    if (!access) return { of: "nothing" };
    const one = async (model: string, question: CloudQuestion) =>
      await askOne(model, question, access, doors);
    const asked = questionsTo(called, dialect, doors.probe);
    if (asked.length > 0) {
      const problems = await Promise.all(asked.map(({ model, question }) => one(model, question)));
      return { of: "models", answers: asked.map(({ model }, at) => ({ model, problem: problems[at] })) };
    }
    const question = provider.host ? undefined : listing[dialect];
    return question ? { of: "list", problem: await one("", question) } : { of: "nothing" };
  } catch (error) {
    if (error instanceof ProviderFault)
      return { of: "credential", said: wordsOf(error), by_role: isByRole(called, keys) };
    if (error instanceof TransportError) return { of: "silence", said: error.message };
    throw error;
  }
}

/** The questions to each model by itself. No cloud says of a vector for nothing whether it may be made. */
function questionsTo(
  { models, vectors }: CloudProvider,
  dialect: ProviderProtocol,
  probe: boolean,
): { model: string; question: CloudQuestion }[] {
  const ask = (names: readonly string[], asking: ((model: string) => CloudQuestion) | undefined) =>
    asking ? names.map((model) => ({ model, question: asking(model) })) : [];
  if (!probe) return ask(models, counting[dialect]);
  return [...ask(models, probing[dialect]), ...ask(vectors, probingVectors[dialect])];
}

/** How the provider is called by its first account. */
async function openProvider(
  { provider }: CloudProvider,
  base_url: string,
  keys: ReadonlyMap<string, string>,
  { clouds }: CloudDoors,
): Promise<Access | undefined> {
  const [secret = ""] = accountNames(provider);
  const needs = [...keyNames(provider).slice(0, 1), ...valueNames(provider)];
  const secrets = { provider: async (name: string) => keys.get(name) };
  return await accessTo({ ...provider, secret, needs }, base_url, { secrets, clouds });
}

/** How long a connection may take and how long a model may be silent, milliseconds. */
const [connectMs, silentMs] = [3_000, 8_000];
const answerBytesMax = 1_048_576;

/** Asks one question. Rejects as `ask` does: where no credential can be had, or nobody answers. */
async function askOne(
  model: string,
  question: CloudQuestion,
  access: Access,
  doors: CloudDoors,
): Promise<ModelProblem | undefined> {
  const { method, path, protocol, body, headers } = question;
  const request = {
    ...{ method, path, connectMs, firstByteMs: silentMs, idleMs: silentMs },
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "model-gateway",
      ...headers,
    },
    body: body === undefined ? "" : JSON.stringify(body),
  };
  const { reply } = await ask(request, { protocol, model, stream: false }, access, doors.send);
  return problemIn(reply.status, readProviderError(await readAll(reply, answerBytesMax)));
}

/** The error of a credential, with the code that the token service gave. */
function wordsOf({ message, facts }: ProviderFault): string {
  const code = facts.told?.upstream_code;
  return code === undefined ? message : `${message}, ${code}`;
}

/** Whether the credential is had by an AWS role. */
function isByRole({ provider }: CloudProvider, keys: ReadonlyMap<string, string>): boolean {
  if (provider.auth === "aws_role") return true;
  const file = objectIn(keys.get(keyNames(provider)[0] ?? "") ?? "");
  const isOpenApp = provider.auth === "azure" && file !== undefined && !file.clientSecret;
  return file?.type === "external_account" || isOpenApp;
}
