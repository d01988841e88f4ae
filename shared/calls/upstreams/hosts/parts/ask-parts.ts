/**
 * Asks a host for the parts of a call: one request, or several of which some run at once. Their answers become one. If
 * one fails, so does the call, and the others are broken off.
 */
import { GatewayError } from "../../../../base/errors.ts";
import { objectIn } from "../../../../base/json/fields.ts";
import { limits } from "../../../../base/limits.ts";
import type { IncomingReply, Send } from "../../../../base/platform/http-call.ts";
import { readAll } from "../../../../base/platform/http-client.ts";
import type { Access } from "../../credentials/index.ts";
import { ProviderFault, RequestBlamed } from "../../fault.ts";
import type { HostedParts, PartAnswer, ProviderRequest } from "../host.ts";
import { type ProviderAnswer, sendAs } from "../send-as.ts";
import { wholeReply } from "../whole-reply.ts";

/** What is known of the parts so far. */
interface Asking {
  answers: PartAnswer[];
  secrets: Set<string>;
  bytes: number;
  /** The first answer that is an error. */
  refused: IncomingReply | undefined;
}

/**
 * Sends the parts of a call. The answer is their joined one, or the first that is an error. Rejects like `sendAs`, with
 * `RequestBlamed` for what the parts cannot carry, and with `ProviderFault` for answers that cannot be read.
 */
export async function askParts(
  request: ProviderRequest,
  coming: Promise<HostedParts>,
  access: Access,
  send: Send,
): Promise<ProviderAnswer> {
  const { requests, dropped, join } = await coming.catch(blamed);
  const asking: Asking = { answers: [], secrets: new Set(), bytes: 0, refused: undefined };
  const stop = new AbortController();
  const signals = [request.signal, stop.signal].filter((signal) => signal !== undefined);
  const whole = { ...request, signal: AbortSignal.any(signals) };
  const waiting = requests.entries();
  const worker = async () => {
    for (const [index, part] of waiting) {
      const { reply, secrets } = await sendAs(whole, part, access, send);
      for (const secret of secrets) asking.secrets.add(secret);
      await take(reply, index, asking);
      if (asking.refused) return stop.abort();
    }
  };
  const workers = Array.from({ length: Math.min(limits.partsAtOnce, requests.length) }, worker);
  const ended = await Promise.allSettled(workers.map((each) => each.catch((error) => failed(error, stop))));
  const failure = ended.find(({ status }) => status === "rejected");
  if (failure?.status === "rejected" && !asking.refused) throw stop.signal.reason ?? failure.reason;
  const confidential = { secrets: [...asking.secrets], base_url: access.base_url };
  return { reply: asking.refused ?? joined(asking.answers, join), dropped, confidential };
}

/** The first failure is the call's, and breaks off the other parts. */
function failed(error: unknown, stop: AbortController): never {
  stop.abort(error);
  throw error;
}

/** Reads one answer to its end. */
async function take(reply: IncomingReply, index: number, asking: Asking): Promise<void> {
  const bytes = await readAll(reply, limits.replyBytesMax);
  if (reply.status < 200 || reply.status > 299) {
    asking.refused ??= wholeReply(reply, bytes);
    return;
  }
  asking.bytes += bytes.length;
  const fields = objectIn(bytes.toString("utf8"));
  if (!fields) throw new ProviderFault("a part that is no JSON object");
  if (asking.bytes > limits.replyBytesMax) throw new ProviderFault("more than a reply may hold");
  asking.answers[index] = { fields, headers: reply.headers };
}

function joined(answers: readonly PartAnswer[], join: HostedParts["join"]): IncomingReply {
  try {
    const { status, fields } = join(answers);
    const headers = { "content-type": "application/json" };
    return wholeReply({ status, headers }, Buffer.from(JSON.stringify(fields)));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ProviderFault("parts that cannot be joined");
  }
}

/** What this host cannot carry another channel may. */
function blamed(error: unknown): never {
  if (error instanceof GatewayError) throw new RequestBlamed(error, {}, { elsewhere: true });
  throw error;
}
