/** The account in the emulator: who deploys and operates, and signed requests to services that have no client here. */
import aws4 from "aws4";
import { type Emulator, region } from "./emulator.ts";

export interface Keys {
  accessKeyId: string;
  secretAccessKey: string;
  /** Of a role that was assumed. */
  sessionToken?: string;
}

/** The keys of the emulator's root, whom it asks no permissions of. */
const root: Keys = { accessKeyId: "test", secretAccessKey: "test" };

/** How long a service may take, also to invoke a function. */
const answerMs = 60_000;

/** An answer of a service. */
interface Answered {
  status: number;
  headers: Headers;
  text: string;
}

/** Sends a request to `service`, signed with `keys`. */
export async function signed(
  { endpoint }: Pick<Emulator, "endpoint">,
  keys: Keys,
  service: string,
  { method = "POST", path = "/", body = "", headers = {} }: Partial<Outgoing>,
): Promise<Answered> {
  const { host } = new URL(endpoint);
  const asked = { service, region, host, method, path, body, headers };
  const { headers: sent } = aws4.sign(asked, keys);
  const { Host, "Content-Length": length, ...rest } = sent as Record<string, string>;
  const signal = AbortSignal.timeout(answerMs);
  const reply = await fetch(endpoint + path, { method, headers: rest, body: body || null, signal });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

interface Outgoing {
  method: string;
  path: string;
  body: string;
  headers: Record<string, string>;
}

/** Calls an action of IAM. Throws when it is refused. Gives XML. */
export async function iam(
  emulator: Pick<Emulator, "endpoint">,
  keys: Keys,
  parameters: Record<string, string>,
): Promise<string> {
  const body = new URLSearchParams({ ...parameters, Version: "2010-05-08" }).toString();
  const headers = { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" };
  const { status, text } = await signed(emulator, keys, "iam", { body, headers });
  if (status !== 200) throw new Error(`${parameters.Action}: ${status} ${text}`);
  return text;
}

/**
 * Makes a user with one of AWS's policies, or with none. Roles of CDK's bootstrap trust the users of the account, and not
 * its root, so a user deploys.
 */
export async function createUser(
  emulator: Pick<Emulator, "endpoint">,
  UserName: string,
  policy?: "AdministratorAccess",
): Promise<Keys> {
  await iam(emulator, root, { Action: "CreateUser", UserName });
  const PolicyArn = `arn:aws:iam::aws:policy/${policy}`;
  if (policy) await iam(emulator, root, { Action: "AttachUserPolicy", UserName, PolicyArn });
  const made = await iam(emulator, root, { Action: "CreateAccessKey", UserName });
  return {
    accessKeyId: valueIn(made, "AccessKeyId"),
    secretAccessKey: valueIn(made, "SecretAccessKey"),
  };
}

/** Assumes a role with the keys of a user. Throws when AWS refuses that. */
export async function assumeRole(
  emulator: Pick<Emulator, "endpoint">,
  keys: Keys,
  RoleArn: string,
): Promise<Keys> {
  const asked = { Action: "AssumeRole", Version: "2011-06-15", RoleArn, RoleSessionName: "operator" };
  const body = new URLSearchParams(asked).toString();
  const headers = { "Content-Type": "application/x-www-form-urlencoded; charset=utf-8" };
  const { status, text } = await signed(emulator, keys, "sts", { body, headers });
  if (status !== 200) throw new Error(`AssumeRole: ${status} ${text}`);
  return {
    accessKeyId: valueIn(text, "AccessKeyId"),
    secretAccessKey: valueIn(text, "SecretAccessKey"),
    sessionToken: valueIn(text, "SessionToken"),
  };
}

const valueIn = (xml: string, tag: string) => new RegExp(`<${tag}>([^<]+)</${tag}>`).exec(xml)?.[1] ?? "";

/** Invokes a function and waits for it. Gives its answer as JSON. Throws when it fails. */
export async function invoke(
  emulator: Pick<Emulator, "endpoint">,
  keys: Keys,
  name: string,
  event: object,
): Promise<unknown> {
  const path = `/2015-03-31/functions/${encodeURIComponent(name)}/invocations`;
  const { status, headers, text } = await signed(emulator, keys, "lambda", {
    path,
    body: JSON.stringify(event),
  });
  const failure = headers.get("x-amz-function-error");
  if (status !== 200 || failure) throw new Error(`${name}: ${status} ${failure ?? ""} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}
