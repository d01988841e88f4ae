/** One request to a payment platform: its bounds, and what the log says where its answer does not count. */
import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError } from "../../base/errors.ts";
import type { ReplyHeaders, Send } from "../../base/platform/http-call.ts";
import { readAll } from "../../base/platform/http-client.ts";
import { describeError, type Log } from "../../base/platform/log.ts";
import type { PaymentChannel } from "../../books/catalog/catalog.ts";

/** What the channels need of the outside world. */
export interface ChannelDeps {
  send: Send;
  log: Log;
  /** Unix milliseconds. */
  now: () => number;
}

interface PlatformRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface PlatformAnswer {
  status: number;
  headers: ReplyHeaders;
  body: string;
}

/** The requests of one channel. */
export interface PlatformCalls {
  /** As `exchange`, but throws `payment_platform`. `operation` names the request in the log. */
  ask(operation: string, request: PlatformRequest): Promise<PlatformAnswer>;
  /** Says in the log why an answer does not count, and gives the error to throw. The reason quotes no secret. */
  failed(operation: string, reason: string): GatewayError;
}

/** Sends a request that may be repeated; follows no redirect. Rejects with `TransportError` without a whole answer. */
export async function exchange(request: PlatformRequest, send: Send): Promise<PlatformAnswer> {
  const { platformAnswerMs, platformConnectMs, platformAnswerBytesMax } = consoleLimits;
  const { status, headers, body } = await send({
    ...request,
    connectMs: platformConnectMs,
    firstByteMs: platformAnswerMs,
    idleMs: platformAnswerMs,
    // The waits above begin anew with every piece that arrives. This one does not.
    signal: AbortSignal.timeout(platformAnswerMs),
  });
  const bytes = await readAll({ body }, platformAnswerBytesMax);
  return { status, headers, body: bytes.toString("utf8") };
}

/** The requests of one channel. */
export function createPlatformCalls(
  channel: PaymentChannel,
  { send, log }: Pick<ChannelDeps, "send" | "log">,
): PlatformCalls {
  const failed = (operation: string, reason: string): GatewayError => {
    log("warn", "platform_failed", { channel, operation, reason: reason.slice(0, 300) });
    return new GatewayError("payment_platform");
  };
  return {
    failed,
    async ask(operation, request) {
      try {
        return await exchange(request, send);
      } catch (error) {
        throw failed(operation, describeError(error));
      }
    },
  };
}
