/** An OpenAI chat stream that is stopped (billing.md §2.5, protocols.md §1.3). */

import type { Fields } from "../../../../base/json/fields.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import { createStopperOf } from "../../early-end.ts";
import type { StreamStopper } from "../../streaming.ts";
import { encodeStopReason } from "../crossing/ending.ts";
import { choicesOf } from "./reply.ts";

/** Ends each choice that has begun with a chunk of its own: many clients read only one choice of a chunk. */
export function createStopper(): StreamStopper {
  return createStopperOf({ answersOf: choicesOf, reason: "finish_reason", headOf, close });
}

function close(open: unknown[], head: Fields): Fields[] {
  const finish_reason = encodeStopReason("length");
  return open.map((index) => ({ ...head, choices: [{ index, delta: {}, finish_reason }] }));
}

function headOf({ id, object, created, model, system_fingerprint }: Fields): Fields {
  return omitUndefined({ id, object, created, model, system_fingerprint });
}
