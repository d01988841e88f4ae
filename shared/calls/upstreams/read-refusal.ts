/** Reads whom a refusal blames. A log has a message only about account or limits, checked before a prompt is read. */
import { limits } from "../../base/limits.ts";
import { type IncomingReply, readAll } from "../../base/platform/http-client.ts";
import { accountReason, isCertain } from "./account.ts";
import { blameRow, type Carried } from "./blame.ts";
import { ProviderFault, type RefusalFields, RequestBlamed } from "./fault.ts";
import { refusesReasoning } from "./foreign-reasoning.ts";
import {
  awsNameHeader,
  errorInFrame,
  namesOf,
  type ProviderError,
  readProviderError,
  withAwsName,
} from "./provider-error.ts";
import { type Confidential, redact, safeCode, safeParam } from "./redaction.ts";
import { blamesRequest, type RefusalSides, requestRefused } from "./refusal.ts";
import { recognise } from "./refusal-codes.ts";
import { waitAsked } from "./wait.ts";

/** Of what a provider was asked, what its refusal is read by. */
export interface RefusedAttempt {
  confidential: Confidential;
  sides: RefusalSides;
  carried: Carried;
}

/** What an error answer says: it blames the request, or is a fault. Reads it to its end, to use the socket again. */
export async function refusalIn(
  reply: IncomingReply,
  refused: RefusedAttempt,
  now: number,
): Promise<ProviderFault | RequestBlamed> {
  const { status, headers } = reply;
  const reading = readAll(reply, limits.replyBytesMax);
  // Whoever blames the request says why. Without its words it counts as broken off.
  const read = await (blamesRequest(status) ? reading : reading.catch(() => Buffer.alloc(0)));
  const body = withAwsName(read, headers[awsNameHeader]);
  return refusalOf(status, body, refused, (error) => waitAsked(headers, error, now));
}

/** What an error inside of a 200 says, as JSON; by its own status, where Google or OpenRouter write that into it. */
export function refusalInside(body: Buffer, refused: RefusedAttempt): ProviderFault | RequestBlamed {
  const { http_status = 200 } = readProviderError(body);
  return refusalOf(http_status, body, refused, () => undefined);
}

/** What an error says that a stream reports in this frame. */
export function refusalInFrame(frame: Buffer, refused: RefusedAttempt): ProviderFault | RequestBlamed {
  return refusalInside(errorInFrame(frame), refused);
}

function refusalOf(
  status: number,
  body: Buffer,
  { confidential, sides, carried }: RefusedAttempt,
  waitOf: (error: ProviderError) => number | undefined,
): ProviderFault | RequestBlamed {
  const error = readProviderError(body);
  const account = accountReason(status, error);
  const row = account ? undefined : blameRow(status, error, carried);
  const isBlamed = row ? row.whose === "request" : !account && blamesRequest(status);
  const limited = !isBlamed && !account && (status === 429 || row?.whose === "limit");
  const told = toldOf(status, error, confidential, limited || account !== undefined);
  if (isBlamed) {
    const said = requestRefused(body, confidential, status, sides);
    return new RequestBlamed(said, told, {
      refuses_reasoning: refusesReasoning(error),
      elsewhere: row?.elsewhere === true,
    });
  }
  if (account) {
    const reason = blamesRequest(status) ? "our account is refused" : `status ${status}`;
    return new ProviderFault(reason, { told, account, certain: isCertain(status, error) });
  }
  const wait_ms = waitOf(error);
  return new ProviderFault(status === 200 ? "an error inside a 200" : `status ${status}`, {
    told,
    limited,
    // A server that is down for a while names a wait in the same way.
    ...(wait_ms !== undefined && (limited || status === 503) && { wait_ms }),
  });
}

function toldOf(
  status: number,
  error: ProviderError,
  confidential: Confidential,
  quotes: boolean,
): RefusalFields {
  const code = error.code ?? error.status ?? error.type;
  const upstream_code = code === undefined ? undefined : safeCode(code, confidential);
  const upstream_param = error.param === undefined ? undefined : safeParam(error.param, confidential);
  const meaning = recognise(namesOf(error), error.message, status)?.meaning;
  const said =
    quotes && error.message !== undefined
      ? redact(error.message, confidential).slice(0, limits.errorExcerptCharsMax)
      : undefined;
  return {
    ...(status !== 200 && { upstream_status: status }),
    ...(upstream_code !== undefined && { upstream_code }),
    ...(upstream_param !== undefined && { upstream_param }),
    ...(meaning && { meaning }),
    ...(said !== undefined && { said: said.toWellFormed() }),
  };
}
