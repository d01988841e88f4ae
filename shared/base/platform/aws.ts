/**
 * The port to AWS, and the lean transport of gateway, console, settle and sweep behind it (shared/base/decisions.md): one
 * signed POST a call. It knows six services, and `AWS_ENDPOINT_URL_<SERVICE>` as the SDKs do. The rest has AWS's clients.
 */
import type { ActionInput, ActionName, Output, ServiceName } from "./aws-actions.ts";
import { readAll, send, TransportError } from "./http-client.ts";
import { hostsOf } from "./partition.ts";
import { pause } from "./pause.ts";
import { type Credentials, createSigner } from "./signature.ts";

const services = {
  dynamodb: { target: "DynamoDB_20120810", version: "1.0", override: "AWS_ENDPOINT_URL_DYNAMODB" },
  sqs: { target: "AmazonSQS", version: "1.0", override: "AWS_ENDPOINT_URL_SQS" },
  secretsmanager: { target: "secretsmanager", version: "1.1", override: "AWS_ENDPOINT_URL_SECRETS_MANAGER" },
  states: { target: "AWSStepFunctions", version: "1.0", override: "AWS_ENDPOINT_URL_SFN" },
  events: { target: "AWSEvents", version: "1.1", override: "AWS_ENDPOINT_URL_EVENTBRIDGE" },
  kms: { target: "TrentService", version: "1.1", override: "AWS_ENDPOINT_URL_KMS" },
} as const satisfies Record<ServiceName, object>;

export interface AwsOptions {
  region: string;
  credentials: () => Credentials | Promise<Credentials>;
  /** Endpoint per service, e.g. `http://127.0.0.1:8000`; the region's own where absent. */
  endpoints: Partial<Record<ServiceName, string>>;
  attemptsMax: number;
  /** Per attempt. */
  timeoutMs: number;
}

/** A binary value to be written. The lean transport writes it as base64; AWS's clients do so with any `Uint8Array`. */
export class Bytes extends Uint8Array {
  toJSON(): string {
    return Buffer.from(this.buffer, this.byteOffset, this.byteLength).toString("base64");
  }
}

/**
 * Calls one action. Throws `ThrottledError` or another `AwsError` when the service refused, and `TransportError` when it
 * did not answer. `delivery` is marked when an attempt that failed may have been carried out.
 */
export type Aws = <Service extends ServiceName, Name extends ActionName<Service>>(
  service: Service,
  action: Name,
  input: ActionInput<Service, Name>,
  delivery?: Delivery,
) => Promise<Output<Service, Name>>;

/** Whether an attempt whose answer was lost may have been carried out, or may still be. */
export interface Delivery {
  outcomeUnknown: boolean;
}

/** One attempt: sends an action with its JSON input, and gives its output. Throws like `Aws`; repeats nothing. */
export type Transport = (service: ServiceName, action: string, body: string) => Promise<unknown>;

/** An error answer of a service. `code` is the bare exception name; `body` the whole answer. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  readonly body: Record<string, unknown>;

  constructor(code: string, status: number, body: Record<string, unknown>) {
    super(`${code}: ${String(body.message ?? body.Message ?? "")}`);
    this.name = "AwsError";
    this.code = code;
    this.status = status;
    this.body = body;
  }
}

/** The service refuses because of load, even after retries. Callers then refuse the request with 42900. */
export class ThrottledError extends AwsError {}

const throttles = new Set([
  "ThrottlingException",
  "Throttling",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "TooManyRequestsException",
  "KMSThrottlingException",
]);

/** The code of a plain write to an item that a transaction is writing. It succeeds when it is repeated. */
export const conflict = "TransactionConflictException";

/** Whether every retry met load or other transactions: nothing is wrong, and the same call may succeed later. */
export function isOverload(error: unknown): boolean {
  return error instanceof ThrottledError || (error instanceof AwsError && error.code === conflict);
}

/** Options from the process environment, as Lambda sets it. */
export function awsOptionsFromEnv(env: NodeJS.ProcessEnv = process.env): AwsOptions {
  const endpoints: AwsOptions["endpoints"] = {};
  for (const [name, service] of Object.entries(services)) {
    const override = env[service.override] ?? env.AWS_ENDPOINT_URL;
    if (override) endpoints[name as ServiceName] = override;
  }
  return {
    region: env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? "us-east-1",
    credentials: () => ({
      accessKeyId: env.AWS_ACCESS_KEY_ID ?? "",
      secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? "",
      ...(env.AWS_SESSION_TOKEN ? { sessionToken: env.AWS_SESSION_TOKEN } : {}),
    }),
    endpoints,
    attemptsMax: 4,
    timeoutMs: 5_000,
  };
}

/**
 * The port over the lean transport, or another one. Failures and conflicts are retried with jitter, because our writes
 * are safe to repeat. Whoever adds counts of the board has a port with one attempt: those are not.
 */
export function createAws(options: AwsOptions, transport: Transport = httpTransport(options)): Aws {
  return async <Service extends ServiceName, Name extends ActionName<Service>>(
    service: Service,
    action: Name,
    input: ActionInput<Service, Name>,
    delivery?: Delivery,
  ): Promise<Output<Service, Name>> => {
    const body = JSON.stringify(input);
    for (let attempt = 1; ; attempt++) {
      try {
        return (await transport(service, action, body)) as Output<Service, Name>;
      } catch (error) {
        if (delivery && leavesOutcomeUnknown(error)) delivery.outcomeUnknown = true;
        if (attempt >= options.attemptsMax || !isRetryable(error)) throw error;
        await pause(retryPauseMs(attempt));
      }
    }
  };
}

/** How long an action waits before it is tried again after so many attempts. `random` gives numbers in [0, 1). */
export function retryPauseMs(attempt: number, random: () => number = Math.random): number {
  return random() * 25 * 2 ** attempt;
}

function isRetryable(error: unknown): boolean {
  if (error instanceof TransportError || isOverload(error)) return true;
  return error instanceof AwsError && error.status >= 500;
}

/** Sends an action once. */
function httpTransport(options: AwsOptions): Transport {
  const opened = new Map<ServiceName, Call>();
  return (service, action, body) => {
    const known = opened.get(service);
    if (known) return known(action, body);
    const call = openService(options, service);
    opened.set(service, call);
    return call(action, body);
  };
}

function leavesOutcomeUnknown(error: unknown): boolean {
  if (error instanceof TransportError) return error.phase === "sent";
  return error instanceof AwsError && error.status >= 500;
}

type Call = (action: string, body: string) => Promise<unknown>;

function openService({ endpoints, region, credentials, timeoutMs }: AwsOptions, service: ServiceName): Call {
  const { target, version } = services[service];
  const url = endpoints[service] ?? `https://${service}.${region}.${hostsOf(region)}`;
  const { host } = new URL(url);
  const sign = createSigner({ service, region, host, content_type: `application/x-amz-json-${version}` });
  return async (action, text) => {
    const body = Buffer.from(text);
    const reply = await send({
      method: "POST",
      url,
      headers: sign({ target: `${target}.${action}`, body }, await credentials()),
      body,
      connectMs: timeoutMs,
      firstByteMs: timeoutMs,
      idleMs: timeoutMs,
    });
    return readAnswer(reply.status, await readAll(reply, 16 * 1024 * 1024));
  };
}

function readAnswer(status: number, bytes: Buffer): unknown {
  const text = bytes.toString("utf8");
  if (status === 200) return text === "" ? {} : parseJson(text);
  let answer: Record<string, unknown> = {};
  try {
    answer = parseJson(text) as Record<string, unknown>;
  } catch {
    // A proxy or an emulator that answers no JSON: the status alone must do.
  }
  const code = String(answer.__type ?? answer.code ?? "Unknown").replace(/^.*#/, "");
  throw refusal(code, status, answer);
}

/** The error of a service's refusal. */
export function refusal(code: string, status: number, body: Record<string, unknown>): AwsError {
  return new (throttles.has(code) ? ThrottledError : AwsError)(code, status, body);
}

/** JSON of a service, with DynamoDB's binary values as bytes. Throws `SyntaxError` when it is not JSON. */
export function parseJson(text: string): unknown {
  const json: unknown = JSON.parse(text);
  // Few texts have binary values, so only those are walked through.
  return text.includes('"B"') && /"B"\s*:\s*"/.test(text) ? withBytes(json) : json;
}

function withBytes(json: unknown): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) return json.map(withBytes);
  const entries = Object.entries(json);
  const [only] = entries;
  // An attribute may be named B too, but then its value is no text.
  if (entries.length === 1 && only?.[0] === "B" && typeof only[1] === "string")
    return { B: new Bytes(Buffer.from(only[1], "base64")) };
  return Object.fromEntries(entries.map(([name, value]) => [name, withBytes(value)]));
}
