/**
 * A client for the AWS services that speak the JSON protocol (DynamoDB, SQS, Secrets Manager, Step
 * Functions): one signed POST each. It replaces four SDK clients whose cost per call is
 * 0.5 ms of CPU and whose weight is most of a cold start (decisions.md).
 *
 * Endpoints follow the SDKs' own variables: `AWS_ENDPOINT_URL_<SERVICE>` overrides the region's host.
 */
import { readAll, send, TransportError } from "./http-client.ts";
import { pause } from "./pause.ts";
import { type Credentials, signedHeaders } from "./signature.ts";

const services = {
  dynamodb: { target: "DynamoDB_20120810", version: "1.0", override: "AWS_ENDPOINT_URL_DYNAMODB" },
  sqs: { target: "AmazonSQS", version: "1.0", override: "AWS_ENDPOINT_URL_SQS" },
  secretsmanager: { target: "secretsmanager", version: "1.1", override: "AWS_ENDPOINT_URL_SECRETS_MANAGER" },
  states: { target: "AWSStepFunctions", version: "1.0", override: "AWS_ENDPOINT_URL_SFN" },
} as const;

export type ServiceName = keyof typeof services;

export interface AwsOptions {
  region: string;
  credentials: () => Credentials | Promise<Credentials>;
  /** Endpoint per service, e.g. `http://127.0.0.1:8000`; the region's own where absent. */
  endpoints: Partial<Record<ServiceName, string>>;
  attemptsMax: number;
  /** Per attempt. */
  timeoutMs: number;
}

/** Calls one action of one service. `input` and the answer are the service's JSON shapes. */
export type Aws = <Output = Record<string, unknown>>(
  service: ServiceName,
  action: string,
  input: object,
  doubt?: Doubt,
) => Promise<Output>;

/** Whether an attempt may have been done, or still be, although it failed: its answer was lost. */
export interface Doubt {
  doubtful: boolean;
}

/** One attempt: sends an action with its JSON input. Throws like `Aws`, and is not repeated by itself. */
export type Transport = (service: ServiceName, action: string, body: string) => Promise<unknown>;

/** An error answer of a service. `code` is the bare exception name; `body` the whole answer. */
export class AwsError extends Error {
  readonly code: string;
  readonly status: number;
  readonly body: Record<string, unknown>;

  constructor(code: string, status: number, body: Record<string, unknown>) {
    super(`${code}: ${String(body["message"] ?? body["Message"] ?? "")}`);
    this.name = "AwsError";
    this.code = code;
    this.status = status;
    this.body = body;
  }
}

/** The service refuses for load, even after retries. Callers fail closed: 42900 (design §4). */
export class ThrottledError extends AwsError {}

const throttles = new Set([
  "ThrottlingException",
  "Throttling",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "TooManyRequestsException",
  "KMSThrottlingException",
]);

/** A plain write on an item that is under a transaction: not load, just bad luck; it goes again. */
const conflict = "TransactionConflictException";

/** Whether a service refused for load, or an item stayed under transactions, through every retry: nothing is wrong, it is not now. */
export function isOverload(error: unknown): boolean {
  return error instanceof ThrottledError || (error instanceof AwsError && error.code === conflict);
}

/** Options from the process environment, as Lambda sets it. */
export function awsOptionsFromEnv(env: NodeJS.ProcessEnv = process.env): AwsOptions {
  const endpoints: AwsOptions["endpoints"] = {};
  for (const [name, service] of Object.entries(services)) {
    const override = env[service.override] ?? env["AWS_ENDPOINT_URL"];
    if (override) endpoints[name as ServiceName] = override;
  }
  return {
    region: env["AWS_REGION"] ?? env["AWS_DEFAULT_REGION"] ?? "us-east-1",
    credentials: () => ({
      accessKeyId: env["AWS_ACCESS_KEY_ID"] ?? "",
      secretAccessKey: env["AWS_SECRET_ACCESS_KEY"] ?? "",
      ...(env["AWS_SESSION_TOKEN"] ? { sessionToken: env["AWS_SESSION_TOKEN"] } : {}),
    }),
    endpoints,
    attemptsMax: 4,
    timeoutMs: 5_000,
  };
}

/**
 * Makes a client. Connection failures, 5xx, throttling and transaction conflicts are retried with
 * jitter; every write of ours is safe to repeat (conditions and our own ids, never blind increments).
 * Throws `ThrottledError`, `AwsError` or `TransportError`. Attempts go over HTTPS unless another transport is given.
 */
export function createAws(options: AwsOptions, transport: Transport = httpTransport(options)): Aws {
  return async <Output>(
    service: ServiceName,
    action: string,
    input: object,
    doubt?: Doubt,
  ): Promise<Output> => {
    const body = JSON.stringify(input);
    for (let attempt = 1; ; attempt++) {
      try {
        return (await transport(service, action, body)) as Output;
      } catch (error) {
        if (doubt && leavesDoubt(error)) doubt.doubtful = true;
        if (attempt >= options.attemptsMax || !isRetryable(error)) throw error;
        await pause(Math.random() * 25 * 2 ** attempt);
      }
    }
  };
}

function isRetryable(error: unknown): boolean {
  if (error instanceof TransportError || isOverload(error)) return true;
  return error instanceof AwsError && error.status >= 500;
}

function httpTransport(options: AwsOptions): Transport {
  return (service, action, body) => callOnce(options, service, action, body);
}

function leavesDoubt(error: unknown): boolean {
  if (error instanceof TransportError) return error.phase === "sent";
  return error instanceof AwsError && error.status >= 500;
}

async function callOnce(
  options: AwsOptions,
  service: ServiceName,
  action: string,
  body: string,
): Promise<unknown> {
  const { target, version } = services[service];
  const endpoint = options.endpoints[service] ?? `https://${service}.${options.region}.amazonaws.com`;
  const signable = {
    service,
    region: options.region,
    host: new URL(endpoint).host,
    headers: { "content-type": `application/x-amz-json-${version}`, "x-amz-target": `${target}.${action}` },
    body,
  };
  const reply = await send({
    method: "POST",
    url: endpoint,
    headers: signedHeaders(signable, await options.credentials()),
    body,
    connectMs: options.timeoutMs,
    firstByteMs: options.timeoutMs,
    idleMs: options.timeoutMs,
  });
  const bytes = await readAll(reply, 16 * 1024 * 1024);
  return readAnswer(reply.status, bytes);
}

function readAnswer(status: number, bytes: Buffer): unknown {
  const text = bytes.toString("utf8");
  if (status === 200) return text === "" ? {} : JSON.parse(text);
  let answer: Record<string, unknown> = {};
  try {
    answer = JSON.parse(text) as Record<string, unknown>;
  } catch {
    // A proxy or an emulator that answers no JSON: the status alone must do.
  }
  const code = String(answer["__type"] ?? answer["code"] ?? "Unknown").replace(/^.*#/, "");
  throw new (throttles.has(code) ? ThrottledError : AwsError)(code, status, answer);
}
