/**
 * One JSON line per event, with a closed list of fields. None is for prompts, answers or keys. A provider's message is
 * logged only where it cannot quote a prompt (`calls/gateway/failures.ts`).
 */
export interface LogFields {
  request?: string;
  /** The trace that the call belongs to (shared/calls/telemetry/README.md): 32 hexadecimal digits. */
  trace?: string;
  /** The call whose answer was given again. */
  replayed?: string;
  organization?: string;
  project?: string;
  key?: string;
  /** Ids of somebody who signs in. */
  user?: string;
  session?: string;
  /** Of a request of the operators' API: the id of its token, and the address that it came from. */
  token?: string;
  ip?: string;
  passkey?: string;
  model?: string;
  route?: string;
  status?: number;
  code?: number;
  provider?: string;
  /** The id of a model's channel, as the board names it. */
  channel?: string;
  /** The witness for whose calls alone a channel is open (calls/routing/witness.ts). */
  only_for?: string;
  /** The name of the credential that a provider was called with; never its value. */
  credential?: string;
  /** The provider's id of a task. */
  upstream?: string;
  /** Of a provider's error answer: its status, its own code, and the field that it names. */
  upstream_status?: number;
  upstream_code?: string;
  upstream_param?: string;
  /** The kind of error, for applications that branch on it. */
  meaning?: string;
  /** What a provider said about our account or our limits, redacted and shortened. */
  said?: string;
  /** Why a provider refuses our account: `key`, `money` or `place`. Why a payment platform's answer does not count. */
  reason?: string;
  /** Of a budget of messages: `all` or a calling code, what was sent of it, and what is allowed by now. */
  budget?: string;
  sent?: number;
  allowed?: number;
  /** What a payment platform was asked for, or an operation of the console. */
  operation?: string;
  attempts?: number;
  duration_ms?: number;
  /** Of an attempt: how long after the call came it was sent, and how long until it failed or its answer began. */
  sent_ms?: number;
  attempt_ms?: number;
  /** Of a streamed answer: how long after the call came its first frame was there. */
  first_byte_ms?: number;
  /** What a request has at most or likely: an estimate of ours. */
  input_tokens?: number;
  cost_points?: string;
  /** What a usage is worth at list price: a float for charts. `cost_points` is what was charged. */
  points?: number;
  evidence?: string;
  /** Names, one after the other. */
  flags?: string;
  count?: number;
  /** Calls that were in flight when the sweep passed. */
  holds?: number;
  /** Of usage events: how long after the end of its call the oldest one was booked. */
  lag_ms?: number;
  /** What a call has used, input and output together, or a model that the house asks for itself. */
  tokens?: number;
  /** The id of an invoice (shared/people/invoices/README.md). */
  invoice?: string;
  /** An order, a refund of it, and how we learned of its payment (shared/people/payments/order.ts). */
  order?: string;
  refund?: string;
  via?: string;
  /** `recharge` or `plan`. */
  kind?: string;
  state?: string;
  /** The fields in which evidence differs from its order. */
  why?: string;
  /** Whether a refused notice was WeChat Pay's own test of us: `yes` or `no`. */
  probe?: string;
  /** From the payment to its booking, or until now. */
  seconds?: number;
  /** Of a run of the reconciler: orders that were due, looked at, credited and closed, and how many are left. */
  due?: number;
  asked?: number;
  credited?: number;
  closed?: number;
  left?: number;
  /** Where a server listens. */
  port?: number;
  /** Of a verification message: the service that sends it, and its country's calling code. */
  service?: string;
  country?: string;
  /** The last four digits of a phone number; the others have no field. Of an address, its domain alone. */
  last_four?: string;
  domain?: string;
  /** How the numbers of a block begin: all but the last six digits. */
  block?: string;
  /** Name and message of an exception of ours; never a provider's body. */
  error?: string;
}

/** Whose call a line is of, and which model it asks for, as far as that is known by then. */
export type CallNames = Pick<LogFields, "organization" | "project" | "key" | "model">;

export type LogLevel = "info" | "warn" | "error";

export type Log = (level: LogLevel, event: string, fields?: LogFields) => void;

/** Writes each event as a line, with its line break. */
export function createLog(write: (line: string) => void): Log {
  return (level, event, fields = {}) =>
    write(`${JSON.stringify({ level, event, at: new Date().toISOString(), ...fields })}\n`);
}

/**
 * Joins the lines of one turn of the event loop, because a write costs a server as much as its line. What waits at the
 * exit is written then; a process that is killed loses the lines of its last turn.
 */
export function joinLines(write: (lines: string) => void): (line: string) => void {
  let waiting = "";
  const writeAll = (): void => {
    const lines = waiting;
    waiting = "";
    if (lines !== "") write(lines);
  };
  process.once("exit", writeAll);
  return (line) => {
    if (waiting === "") setImmediate(writeAll);
    waiting += line;
  };
}

/** Writes to standard output, as Lambda's log pipeline expects. */
export const log: Log = createLog((line) => process.stdout.write(line));

/** The name and message of a thrown value, shortened, for a log line. */
export function describeError(error: unknown): string {
  return error instanceof Error
    ? `${error.name}: ${error.message}`.slice(0, 500)
    : String(error).slice(0, 500);
}
