/**
 * Credentials of a container's role, as ECS and EKS give them. They end after some hours. They are kept and renewed
 * before, because the lean transport asks before each call.
 */
import { readFileSync } from "node:fs";
import { limits } from "../limits.ts";
import { keptToken, type Lent } from "./kept-token.ts";
import type { Credentials } from "./signature.ts";

/** The host that ECS gives relative addresses for. */
const ecsHost = "http://169.254.170.2";
/** Hosts that may be asked without TLS: the container's own, ECS's and EKS's. AWS's own clients have the same list. */
const plainHosts = new Set([
  "localhost",
  "127.0.0.1",
  "[::1]",
  "169.254.170.2",
  "169.254.170.23",
  "[fd00:ec2::23]",
]);

interface Answer {
  AccessKeyId?: string;
  SecretAccessKey?: string;
  Token?: string;
  /** ISO 8601. */
  Expiration?: string;
}

interface CredentialDeps {
  now: () => number;
  fetch: typeof fetch;
}

/**
 * Gives credentials, or undefined where the environment names no address. If a renewal fails, the old ones serve to
 * their end; then it rejects. Throws on an address that must not be asked.
 */
export function containerCredentials(
  env: NodeJS.ProcessEnv,
  { now, fetch }: CredentialDeps,
): (() => Promise<Credentials>) | undefined {
  const address = addressOf(env);
  if (!address) return undefined;
  const ask = async (): Promise<Lent<Credentials>> => {
    const token = tokenOf(env);
    const reply = await fetch(address, {
      headers: token ? { authorization: token } : {},
      signal: AbortSignal.timeout(limits.credentialMs),
    });
    if (!reply.ok) throw new Error(`the container's credentials: status ${reply.status}`);
    const { AccessKeyId, SecretAccessKey, Token, Expiration = "" } = (await reply.json()) as Answer;
    const ends_at = Date.parse(Expiration);
    if (!AccessKeyId || !SecretAccessKey || Number.isNaN(ends_at))
      throw new Error("the container's credentials: the answer is not whole");
    const session = Token ? { sessionToken: Token } : {};
    return { value: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, ...session }, ends_at };
  };
  return keptToken(ask, now);
}

/** The address in the environment. Throws where it would send a token in the clear to another machine. */
function addressOf(env: NodeJS.ProcessEnv): string | undefined {
  const relative = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  if (relative) return ecsHost + relative;
  const full = env.AWS_CONTAINER_CREDENTIALS_FULL_URI;
  if (!full) return undefined;
  const { protocol, hostname } = new URL(full);
  if (protocol !== "https:" && !plainHosts.has(hostname))
    throw new Error(
      `AWS_CONTAINER_CREDENTIALS_FULL_URI names ${hostname}, which may be asked over https only`,
    );
  return full;
}

/** The token that the address asks for. It is read anew each time, because EKS renews its file. */
function tokenOf(env: NodeJS.ProcessEnv): string | undefined {
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  return file ? readFileSync(file, "utf8").trim() : env.AWS_CONTAINER_AUTHORIZATION_TOKEN;
}
