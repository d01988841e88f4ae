/**
 * What does not cross, by name. Both tables only name what is left behind without changing what the call
 * means; what would change it is refused (request.ts).
 */
import type { AssistantPart, ChatRequest, UserPart } from "../../../chat/request.ts";
import { type Fields, isAbsent, isObject } from "../../../json/fields.ts";

/** The client's fields that are read, by the object they stand in. Objects not listed here are read whole. */
const read = new Map<string, ReadonlySet<string>>([
  [
    "",
    new Set(
      (
        "model messages stream stream_options max_tokens max_completion_tokens n user temperature top_p top_k " +
        "stop tools tool_choice parallel_tool_calls response_format reasoning_effort thinking seed " +
        "modalities logprobs top_logprobs"
      ).split(" "),
    ),
  ],
  [
    "messages",
    new Set(
      "role content refusal tool_calls tool_call_id reasoning_content reasoning reasoning_details".split(" "),
    ),
  ],
  ["messages.content", new Set(["type", "text", "refusal", "image_url", "input_audio", "file"])],
  ["messages.content.image_url", new Set(["url", "detail"])],
  ["messages.content.input_audio", new Set(["data", "format", "url"])],
  ["messages.content.file", new Set(["file_data", "filename"])],
  ["tools", new Set(["type", "function"])],
  ["tools.function", new Set(["name", "description", "parameters", "strict"])],
  ["response_format", new Set(["type", "json_schema"])],
  ["response_format.json_schema", new Set(["name", "schema", "strict"])],
  ["thinking", new Set(["type", "budget_tokens"])],
]);

/** Names of a client's fields that have no place in the neutral form, as `messages.name`, each once. */
export function unreadFields(body: Fields): string[] {
  const names = new Set<string>();
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, path);
    if (!isObject(value)) return;
    for (const [key, member] of Object.entries(value)) {
      const name = path === "" ? key : `${path}.${key}`;
      if (!read.get(path)?.has(key)) {
        if (!isAbsent(member)) names.add(name);
      } else if (read.has(name)) {
        visit(member, name);
      }
    }
  };
  visit(body, "");
  // Where a vendor takes both, the larger bound is the one that holds the whole answer.
  if (!isAbsent(body["max_tokens"]) && !isAbsent(body["max_completion_tokens"])) names.add("max_tokens");
  return [...names];
}

type Part = AssistantPart | UserPart;

const partOf = (request: ChatRequest, test: (part: Part) => boolean): boolean =>
  request.messages.some(({ parts }: { parts: Part[] }) => parts.some(test));

/** Neutral fields OpenAI chat has no place for. */
const uncarried: readonly [name: string, present: (request: ChatRequest) => boolean][] = [
  ["top_k", ({ top_k }) => top_k !== undefined],
  // An effort takes its place, but not its number.
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

/** Names of the neutral fields of this request that OpenAI chat cannot carry. */
export function uncarriedFields(request: ChatRequest): string[] {
  return uncarried.filter(([, present]) => present(request)).map(([name]) => name);
}
