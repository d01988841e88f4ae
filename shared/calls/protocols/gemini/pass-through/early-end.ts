/** A Gemini stream that is stopped (billing.md §2.5, protocols.md §3.4). */

import type { Fields } from "../../../../base/json/fields.ts";
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import { createStopperOf } from "../../early-end.ts";
import type { StreamStopper } from "../../streaming.ts";
import { finishReasons, lastContent } from "../crossing/finish.ts";
import { candidatesOf } from "./reply.ts";

/** Ends all candidates that have begun with one last chunk. Gemini writes calls whole, so none is ever open. */
export function createStopper(): StreamStopper {
  return createStopperOf({ answersOf: candidatesOf, reason: "finishReason", headOf, close });
}

function close(open: unknown[], head: Fields): Fields[] {
  if (open.length === 0) return [];
  const candidates = open.map((index) => ({
    content: lastContent,
    finishReason: finishReasons.length,
    index,
  }));
  return [{ candidates, ...head }];
}

function headOf({ modelVersion, responseId, createTime }: Fields): Fields {
  return omitUndefined({ modelVersion, responseId, createTime });
}
