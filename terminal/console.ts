/** What the program asks the console: OAuth's device flow (RFC 8628), refresh and revocation. */
import { hostname } from "node:os";
import type { ConsoleSchema } from "../shared/edges/openapi/route-types.ts";
import type { SignIn } from "./sign-ins.ts";

type Server = ConsoleSchema<"AuthorizationServer">;
type DeviceCodes = ConsoleSchema<"DeviceCodes">;
type Tokens = ConsoleSchema<"ProgramTokens">;
type OAuthAnswer = ConsoleSchema<"OAuthError">;

const client_id = "gateway.mjs";
const answerMsMax = 30_000;

/** A refusal of the console, or what kept us from it. `error` is OAuth's word; undefined where nobody answered. */
export class AskError extends Error {
  readonly error: OAuthAnswer["error"] | undefined;

  constructor(message: string, error?: OAuthAnswer["error"]) {
    super(message);
    this.error = error;
  }
}

/** Where to sign in at a console. It must name itself, and the same host for everything that gets a token. */
export async function findServer(console: string): Promise<Server> {
  const server = await ask<Server>(`${console}/.well-known/oauth-authorization-server`);
  const named = [server.device_authorization_endpoint, server.token_endpoint, server.revocation_endpoint];
  if (server.issuer !== console || named.some((url) => new URL(url).origin !== console))
    throw new AskError(`${console} is no console of a gateway, or not at this address.`);
  return server;
}

/** The address of a console as people write it. Throws where it is none, or where others could listen. */
export function consoleAddress(text: string): string {
  const whole = /^https?:\/\//.test(text) ? text : `https://${text}`;
  if (!URL.canParse(whole)) throw new AskError(`${text} is no address.`);
  const { origin, protocol, hostname: host } = new URL(whole);
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(host);
  if (protocol !== "https:" && !isHere) throw new AskError("The console's address must begin with https.");
  return origin;
}

/** Asks to be signed in. */
export async function askForCodes({ device_authorization_endpoint }: Server): Promise<DeviceCodes> {
  const device_name = hostname()
    .replaceAll(/[^\w .-]/g, "")
    .slice(0, 60)
    .trim();
  return await ask<DeviceCodes>(device_authorization_endpoint, { client_id, device_name });
}

/** Asks until the person has decided. */
export async function waitForTokens(server: Server, codes: DeviceCodes): Promise<Tokens> {
  const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
  const form = { grant_type, client_id, device_code: codes.device_code };
  const end = Date.now() + codes.expires_in * 1000;
  for (let seconds = codes.interval; ; ) {
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    try {
      return await ask<Tokens>(server.token_endpoint, form);
    } catch (error) {
      const told = error instanceof AskError ? error.error : "invalid_request";
      if (told === "slow_down") seconds += 5;
      // A network that is gone for a moment may come back before the code ends.
      else if (told !== "authorization_pending" && (told !== undefined || Date.now() >= end)) throw error;
    }
  }
}

/** The same sign-in with another key. */
export async function refreshed(signIn: SignIn): Promise<SignIn> {
  const { token_endpoint, refresh_token } = signIn;
  const tokens = await ask<Tokens>(token_endpoint, { grant_type: "refresh_token", client_id, refresh_token });
  return { ...signIn, ...keptTokens(tokens) };
}

/** What is kept of an answer with tokens. */
export function keptTokens(tokens: Tokens): Pick<SignIn, "key" | "ends_at" | "refresh_token"> {
  const { access_token: key, expires_in, refresh_token } = tokens;
  return { key, ends_at: Date.now() + expires_in * 1000, refresh_token };
}

/** Ends the key of a sign-in. */
export async function revoke({ revocation_endpoint, refresh_token }: SignIn): Promise<void> {
  await ask(revocation_endpoint, { token: refresh_token });
}

/** Asks with a form, or without one. A redirect could lead a token elsewhere, so none is followed. */
async function ask<Answer>(url: string, form?: Record<string, string>): Promise<Answer> {
  const init = { redirect: "error", signal: AbortSignal.timeout(answerMsMax) } as const;
  const body = form && new URLSearchParams(form);
  const answer = await fetch(url, { ...init, ...(body && { method: "POST", body }) }).catch(() => {
    throw new AskError(`${new URL(url).origin} does not answer.`);
  });
  const text = await answer.text();
  const told = text === "" ? {} : readJson(text);
  if (answer.ok && told) return told as Answer;
  const { error, error_description } = (told ?? {}) as Partial<OAuthAnswer>;
  if (answer.status < 500 && typeof error === "string") throw new AskError(error_description ?? error, error);
  throw new AskError(`${new URL(url).origin} answers with ${answer.status}, and no sign-in.`);
}

function readJson(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
