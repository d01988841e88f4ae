/** The bound on the calls that one process serves at a time. */
import { GatewayError } from "../../base/errors.ts";
import type { HttpReply } from "../../base/http/message.ts";

interface CallLimit {
  /** Counts a call in; false where as many are in flight as may be. */
  enter(): boolean;
  /** The reply, which counts its call out once the work after its body is done. */
  leaveAfter(reply: HttpReply): HttpReply;
  /** The rejection of a call that did not get in. */
  refusal(): GatewayError;
}

/** A bound of so many calls. */
export function limitCallsInFlight(callsMax: number): CallLimit {
  let inFlight = 0;
  return {
    enter() {
      if (inFlight >= callsMax) return false;
      inFlight += 1;
      return true;
    },
    leaveAfter(reply) {
      const after = async () => {
        try {
          await reply.after?.();
        } finally {
          inFlight -= 1;
        }
      };
      return { ...reply, after };
    },
    refusal: () => new GatewayError("global_rate_limited", { headers: { "retry-after": "1" } }),
  };
}
