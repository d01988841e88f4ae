/** Parts of a neutral request without a place in OpenAI chat. They change no meaning, so they are named. */
import type { AssistantPart, ChatRequest, UserPart } from "../../../chat/request.ts";

type Part = AssistantPart | UserPart;

const partOf = (request: ChatRequest, test: (part: Part) => boolean): boolean =>
  request.messages.some(({ parts }: { parts: Part[] }) => parts.some(test));

const placeless: readonly [name: string, present: (request: ChatRequest) => boolean][] = [
  ["top_k", ({ top_k }) => top_k !== undefined],
  // An effort takes its place, and the number is lost.
  ["reasoning.budget_tokens", ({ reasoning }) => reasoning?.budget_tokens !== undefined],
  ["reasoning.include", ({ reasoning }) => reasoning?.include !== undefined],
  // OpenAI refuses both without tools.
  ["tool_choice", ({ tools, tool_choice }) => tools.length === 0 && tool_choice !== undefined],
  [
    "parallel_tool_calls",
    ({ tools, parallel_tool_calls }) => tools.length === 0 && parallel_tool_calls !== undefined,
  ],
  [
    "messages.tool_result.is_error",
    (request) => partOf(request, (part) => part.type === "tool_result" && part.is_error === true),
  ],
];

/** Names the neutral fields of this request that the protocol cannot carry. */
export function namePlaceless(request: ChatRequest, dropped: Set<string>): void {
  for (const [name, present] of placeless) if (present(request)) dropped.add(name);
}
