/** The request of a program to be signed in, until somebody decides it (programs.md). */
import { createHash, randomBytes, randomInt, timingSafeEqual } from "node:crypto";
import { consoleLimits } from "../../base/console-limits.ts";
import type { BillingMode } from "../../books/accounts/account.ts";
import { spanEnd, spanOf } from "../../books/billing/period.ts";
import { addressOf } from "./address.ts";
import type { VelocityCount } from "./velocity.ts";

/** Why a program is refused. OAuth's clients understand these (RFC 6749 §5.2, RFC 8628 §3.5). */
export const oauthRefusals = [
  "authorization_pending",
  "slow_down",
  "access_denied",
  "expired_token",
  "invalid_grant",
  "invalid_request",
  "unsupported_grant_type",
] as const;
export type OAuthRefusal = (typeof oauthRefusals)[number];

/** What somebody allows the program. The key is made by it. */
export interface DeviceApproval {
  user: string;
  user_name: string;
  /** The session that it was approved with, for the audit log. */
  session: string;
  /** As of that session (user.ts). */
  sign_on?: string;
  connection_at?: number;
  organization: string;
  mode: BillingMode;
  project: string;
}

export interface DeviceRequest {
  id: string;
  /** Eight letters without a hyphen. It is the key of the item. */
  user_code: string;
  /** The SHA-256 of the secret in the device code, hex. */
  secret_hash: string;
  /** What the program calls itself, its machine, and itself once more in `user-agent`; cleaned. Nothing proves it. */
  client: string;
  machine: string;
  label: string;
  ip: string;
  /** Unix milliseconds. */
  created_at: number;
  ends_at: number;
  polled_at: number;
  state: "waiting" | "approved" | "denied" | "used";
  approval: DeviceApproval | null;
}

/** What a poll finds: the request; that it came too `soon`; or that there is `none` for this device code. */
type Polled = DeviceRequest | "soon" | "none";

/** The store of requests. Every read is strongly consistent. */
export interface Devices {
  /** Stores a request. False where its user code is in use. */
  create(request: DeviceRequest): Promise<boolean>;
  read(user_code: string): Promise<DeviceRequest | undefined>;
  /** Approves a request, or refuses it without an approval. False where it is another one, decided, or over at `at`. */
  decide(
    request: Pick<DeviceRequest, "id" | "user_code">,
    approval: DeviceApproval | null,
    at: number,
  ): Promise<boolean>;
  /** The request of a device code, which is noted as polled at `at` (Unix ms). */
  poll(code: DeviceCode, at: number): Promise<Polled>;
}

/** Letters that make no word and are not taken for another one (RFC 8628 §6.1). */
const letters = "BCDFGHJKLMNPQRSTVWXZ";
const userCodeChars = 8;

/** A user code that nobody can foretell: 34 bits. */
function newUserCode(): string {
  return Array.from({ length: userCodeChars }, () => letters[randomInt(letters.length)]).join("");
}

/** A user code as a person wrote it, with any case and signs between its letters; undefined for what is none. */
export function readUserCode(text: string): string | undefined {
  const code = text.toUpperCase().replaceAll(/[\s-]/g, "");
  const isCode = code.length === userCodeChars && [...code].every((letter) => letters.includes(letter));
  return isCode ? code : undefined;
}

/** A user code as people read it: `BCDF-GHJK`. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, userCodeChars / 2)}-${code.slice(userCodeChars / 2)}`;
}

/** What the program polls with: the place of its request, and a secret of 256 bits. */
export interface DeviceCode {
  user_code: string;
  secret: string;
}

export function newDeviceCode(): DeviceCode {
  return { user_code: newUserCode(), secret: randomBytes(32).toString("base64url") };
}

export function deviceCode({ user_code, secret }: DeviceCode): string {
  return `${user_code}.${secret}`;
}

/** Undefined for a text that is no device code. */
export function readDeviceCode(text: string): DeviceCode | undefined {
  const [place = "", secret = "", ...rest] = text.split(".");
  const user_code = readUserCode(place);
  if (rest.length > 0 || user_code !== place || !/^[\w-]{43}$/.test(secret)) return undefined;
  return { user_code, secret };
}

/** How the secret is stored, hex. It has so many bits that a plain hash tells nothing. */
export function deviceSecretHash(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Whether a device code is this request's. */
export function isDeviceCodeOf(
  { secret }: DeviceCode,
  { secret_hash }: Pick<DeviceRequest, "secret_hash">,
): boolean {
  return timingSafeEqual(Buffer.from(deviceSecretHash(secret)), Buffer.from(secret_hash));
}

/** Whether a request is as one that waits for somebody at `now` (Unix ms). */
export function isWaiting(
  { state, ends_at }: Pick<DeviceRequest, "state" | "ends_at">,
  now: number,
): boolean {
  return state === "waiting" && now < ends_at;
}

/** What a new request from an address is counted on, at `at` (Unix ms). */
export function deviceCounts(address: string, at: number): VelocityCount[] {
  const { ip, network } = addressOf(address);
  const window = spanOf(at, "hour");
  const within = { window, ends_at: spanEnd(window) };
  return [
    { what: `devices:${ip}`, most: consoleLimits.devicesOfIpHourMax, ...within },
    { what: `devices-around:${network}`, most: consoleLimits.devicesOfNetworkHourMax, ...within },
  ];
}

/** A text that a program says of itself, without control characters and formatting, cut. */
export function cleanLabel(text: string): string {
  const label = text.replaceAll(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, "");
  return label.slice(0, consoleLimits.sessionLabelCharsMax).toWellFormed();
}
