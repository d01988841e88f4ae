/**
 * The port to AWS over AWS's own clients. Added to them are a time limit for each attempt, the retry of a transaction
 * conflict, the mark of an unknown outcome, and the errors of the port.
 */
import type { DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { type Aws, conflict, type Delivery, refusal } from "./aws.ts";
import type { ServiceName } from "./aws-actions.ts";
import { TransportError } from "./http-call.ts";

/** What every client is made with; what is absent is found as AWS's clients find it. */
type ClientSettings = Pick<
  DynamoDBClientConfig,
  | "region"
  | "credentials"
  | "endpoint"
  | "maxAttempts"
  | "logger"
  | "requestHandler"
  | "useFipsEndpoint"
  | "useDualstackEndpoint"
>;

/** One client: makes the command of an action, lets `watch` see each attempt at it, and sends it. */
export interface AwsClient {
  send(action: string, input: object, watch: Watch): Promise<object>;
}

/** Makes the client of one service. Called at the service's first call. */
export type OpenClient = (settings: ClientSettings) => AwsClient | Promise<AwsClient>;

export interface ClientOptions {
  /** As the environment and the profile say, if absent. */
  region?: string;
  /** Those of the SDKs' own chain, if absent. */
  credentials?: NonNullable<ClientSettings["credentials"]>;
  /** Endpoint per service, for emulators. */
  endpoints?: Partial<Record<ServiceName, string>>;
  /** How long an attempt may wait for its connection, for the answer, and between two pieces of it. */
  timeoutMs?: number;
  /** How often a request is sent at most; as often as the clients like, if absent. */
  attemptsMax?: number;
}

const timeoutUsualMs = 5_000;

const ignore = (): void => {};

/** A log that nobody reads. For an `info` or `error` the clients would copy each request and answer. */
const silent = { debug: ignore, warn: ignore } as unknown as NonNullable<DynamoDBClientConfig["logger"]>;

/** The port over these clients. Errors before anything was sent, such as missing credentials, are the clients' own. */
export function createClients(
  services: Partial<Record<ServiceName, OpenClient>>,
  options: ClientOptions = {},
): Aws {
  const opened = new Map<ServiceName, Promise<AwsClient>>();
  const clientOf = (service: ServiceName): Promise<AwsClient> => {
    const known = opened.get(service);
    if (known) return known;
    const client = openClient(service, services[service], options);
    opened.set(service, client);
    return client;
  };
  const call = async (
    service: ServiceName,
    action: string,
    input: unknown,
    delivery?: Delivery,
  ): Promise<object> => {
    const client = await clientOf(service);
    let failure: unknown;
    const onFailure = (error: unknown) => {
      failure = error;
      if (delivery && leavesOutcomeUnknown(error)) delivery.outcomeUnknown = true;
      // The clients repeat what a service's model calls retryable; this one of DynamoDB's errors is not among them.
      if (nameOf(error) === conflict) Object.assign(error as object, { $retryable: {} });
    };
    try {
      return await client.send(action, input as object, watching(onFailure));
    } catch (error) {
      // What failed before an attempt, such as credentials that are not there, is told as it is.
      throw error === failure ? ofThePort(error) : error;
    }
  };
  return call as Aws;
}

async function openClient(
  service: ServiceName,
  open: OpenClient | undefined,
  { region, credentials, endpoints = {}, timeoutMs = timeoutUsualMs, attemptsMax }: ClientOptions,
): Promise<AwsClient> {
  if (!open) throw new Error(`no client of ${service} was given`);
  const endpoint = endpoints[service];
  return await open({
    ...(region !== undefined && { region }),
    ...(credentials && { credentials }),
    ...(attemptsMax !== undefined && { maxAttempts: attemptsMax }),
    // An emulator has neither kind of endpoint, whatever a developer's profile asks for.
    ...(endpoint !== undefined && { endpoint, useFipsEndpoint: false, useDualstackEndpoint: false }),
    logger: silent,
    requestHandler: {
      connectionTimeout: timeoutMs,
      socketTimeout: timeoutMs,
    },
  });
}

/** A client of AWS's as one of ours. `commands` are its command classes by the names of their actions. */
export function adapted<Name extends string>(
  client: { send(command: never): Promise<object> },
  commands: Record<Name, new (input: never) => { middlewareStack: { use(watch: never): void } }>,
): AwsClient {
  return {
    async send(action, input, watch) {
      const Command = commands[action as Name] as (typeof commands)[Name] | undefined;
      if (!Command) throw new Error(`the client has no action ${action}`);
      const command = new Command(input as never);
      command.middlewareStack.use(watch as never);
      return await client.send(command as never);
    },
  };
}

type Step = (args: unknown) => Promise<unknown>;

/** What a command's middleware is extended with. */
export interface Watch {
  applyToStack(stack: { add(middleware: (next: Step) => Step, place: object): void }): void;
}

/** Tells of each attempt that failed: within the clients' retries, around the request and the reading of its answer. */
function watching(onFailure: (error: unknown) => void): Watch {
  const middleware =
    (next: Step): Step =>
    async (args) => {
      try {
        return await next(args);
      } catch (error) {
        onFailure(error);
        throw error;
      }
    };
  return {
    applyToStack: (stack) =>
      stack.add(middleware, { name: "watchAttempts", step: "deserialize", priority: "high" }),
  };
}

interface ClientError {
  name?: string;
  code?: string;
  message?: string;
  /** Of an error that the service answered with. */
  $fault?: string;
  $metadata?: { httpStatusCode?: number };
}

function nameOf(error: unknown): string | undefined {
  return (error as ClientError | undefined)?.name;
}

function statusOf(error: unknown): number | undefined {
  return (error as ClientError | undefined)?.$metadata?.httpStatusCode;
}

/** Without these two, a connection may have carried the request: a broken one tells no more. */
const unsent = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"]);

function wasSent(error: unknown): boolean {
  return !unsent.has((error as ClientError | undefined)?.code ?? "");
}

/** Only a refusal with a status below 500 says that nothing was done; any other failure leaves the outcome unknown. */
function leavesOutcomeUnknown(error: unknown): boolean {
  const status = statusOf(error);
  if (status === undefined) return wasSent(error);
  return status < 400 || status >= 500;
}

/** The port's error for one of a client's. */
function ofThePort(error: unknown): Error {
  const status = statusOf(error);
  if (status === undefined || status < 400)
    return new TransportError(wasSent(error) ? "sent" : "connect", error);
  const { name = "Unknown", message, $fault, ...rest } = error as ClientError;
  const fields = Object.entries(rest).filter(([field]) => !field.startsWith("$"));
  // A proxy's answer that is no JSON has a status and nothing else to tell.
  return refusal($fault === undefined ? "Unknown" : name, status, { message, ...Object.fromEntries(fields) });
}
