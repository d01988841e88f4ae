/** Neutral events to OpenAI chat streams (protocols.md §1.3, §6.5). */

import { renderFrame } from "../../../../base/sse/frames.ts";
import type { ChatEvent, StreamEncoder } from "../../../chat/event.ts";
import type { ReplyUsage } from "../../../chat/reply.ts";
import type { ReplyTarget } from "../../crossing.ts";
import { errorFrame } from "../../error-frame.ts";
import { tierOf } from "../../openai-tier.ts";
import { type CallWriter, callWriter } from "./call-deltas.ts";
import { encodeStopReason } from "./ending.ts";
import { asksForOldCalls } from "./old-functions.ts";
import { encodeDetail } from "./reasoning.ts";
import { encodeHead, encodeUsage } from "./reply.ts";

interface State {
  id: string;
  created: number;
  /** Text of the open reasoning part. Its signature is written with the whole part. */
  reasoning: string;
  /** Reasoning parts ended. */
  reasoned: number;
  calls: CallWriter;
  usage: ReplyUsage | undefined;
}

/** An encoder of one stream. A chunk without choices has the usage, where it is wanted (protocols.md pitfall 25). */
export function createEncoder(target: ReplyTarget): StreamEncoder {
  const state: State = {
    id: "",
    created: 0,
    reasoning: "",
    reasoned: 0,
    calls: callWriter(target.request),
    usage: undefined,
  };
  const isOld = asksForOldCalls(target.request);
  const frame = (members: object): Buffer => {
    const head = encodeHead(state, "chat.completion.chunk", target.model);
    return renderFrame(JSON.stringify({ ...head, ...members }));
  };
  const chunk = (delta: object, finish_reason: string | null = null, more: object = {}): Buffer =>
    frame({ choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...more });

  return {
    push(event) {
      if (event.type === "error") return [errorFrame("openai", "upstream_error")];
      if (event.type === "reply-end") {
        const { usage } = state;
        const tier = tierOf(usage);
        return [
          chunk({}, encodeStopReason(event.stop_reason, isOld), tier),
          ...(usage && !target.hide_usage
            ? [frame({ choices: [], ...tier, usage: encodeUsage(usage) })]
            : []),
          renderFrame("[DONE]"),
        ];
      }
      const delta = encodeDelta(state, event);
      return delta ? [chunk(delta)] : [];
    },
  };
}

type DeltaEvent = Exclude<ChatEvent, { type: "error" | "reply-end" }>;

/** The delta of an event. Undefined for an event that only changes what is written later. */
function encodeDelta(state: State, event: DeltaEvent): object | undefined {
  switch (event.type) {
    case "reply-start":
      state.id = event.id;
      state.created = event.created;
      return { role: "assistant", content: "" };
    case "text-delta":
      return { content: event.text };
    case "refusal-delta":
      return { refusal: event.text };
    case "reasoning-delta":
      state.reasoning += event.text;
      return { reasoning_content: event.text };
    case "reasoning-end": {
      const { type: _, ...ending } = event;
      const part = { type: "reasoning" as const, text: state.reasoning, ...ending };
      const index = state.reasoned++;
      state.reasoning = "";
      return part.signature === undefined ? undefined : { reasoning_details: [encodeDetail(part, index)] };
    }
    case "tool-call-start":
    case "tool-call-delta":
    case "tool-call-end":
      return state.calls(event);
    case "usage":
      state.usage = event.usage;
      return undefined;
  }
}
