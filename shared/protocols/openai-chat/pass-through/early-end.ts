/** An OpenAI chat stream that is stopped (billing.md §2.5, protocols.md §1.3). */
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { Fields } from "../../../json/fields.ts";
import { frameObject, renderFrame } from "../../../sse/frames.ts";
import { errorFrame } from "../../error-frame.ts";
import type { StreamStopper } from "../../streaming.ts";
import { encodeStopReason } from "../crossing/reply.ts";
import { choicesOf } from "./reply.ts";

/**
 * Ends each choice that has begun, with one chunk for each, as OpenAI does: many clients read only one choice of a
 * chunk. A tool call has no end of its own.
 */
export function createStopper(): StreamStopper {
  let head: Fields = {};
  const begun = new Set<unknown>();
  const ended = new Set<unknown>();

  return {
    follow(frame) {
      const chunk = frameObject(frame);
      if (!chunk) return;
      head = headOf(chunk);
      for (const { index = 0, finish_reason } of choicesOf(chunk)) (finish_reason ? ended : begun).add(index);
    },
    end({ style, key, detail }) {
      const open = [...begun].filter((index) => !ended.has(index));
      const chunks = open.map((index) => ({
        ...head,
        choices: [{ index, delta: {}, finish_reason: encodeStopReason("length") }],
      }));
      return [...chunks.map((chunk) => renderFrame(JSON.stringify(chunk))), errorFrame(style, key, detail)];
    },
  };
}

/** What a chunk says of its stream. */
function headOf({ id, object, created, model, system_fingerprint }: Fields): Fields {
  return omitUndefined({ id, object, created, model, system_fingerprint });
}
