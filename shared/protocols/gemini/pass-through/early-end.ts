/** A Gemini stream that is stopped (billing.md §2.5, protocols.md §3.4). */
import { omitUndefined } from "../../../chat/omit-undefined.ts";
import type { Fields } from "../../../json/fields.ts";
import { frameObject, renderFrame } from "../../../sse/frames.ts";
import { errorFrame } from "../../error-frame.ts";
import type { StreamStopper } from "../../streaming.ts";
import { finishReasons } from "../crossing/finish.ts";
import { lastContent } from "../crossing/reply.ts";
import { candidatesOf } from "./reply.ts";

/** Ends all candidates that have begun with one last chunk. Gemini writes calls whole, so none is ever open. */
export function createStopper(): StreamStopper {
  let origin: Fields = {};
  const begun = new Set<unknown>();
  const ended = new Set<unknown>();

  return {
    follow(frame) {
      const chunk = frameObject(frame);
      if (!chunk) return;
      origin = originOf(chunk);
      for (const { index = 0, finishReason } of candidatesOf(chunk))
        (finishReason ? ended : begun).add(index);
    },
    end({ style, key, detail }) {
      const candidates = [...begun]
        .filter((index) => !ended.has(index))
        .map((index) => ({ content: lastContent, finishReason: finishReasons.length, index }));
      const chunk = renderFrame(JSON.stringify({ candidates, ...origin }));
      return [...(candidates.length > 0 ? [chunk] : []), errorFrame(style, key, detail)];
    },
  };
}

/** What a chunk says of its stream. */
function originOf({ modelVersion, responseId, createTime }: Fields): Fields {
  return omitUndefined({ modelVersion, responseId, createTime });
}
