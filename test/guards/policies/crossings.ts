/** What a request keeps, and says, on its way to a provider of another protocol. */
import type { Row } from "#test/guards/guard.ts";

export const crossings: Row[] = [
  {
    id: "crossings-1",
    test: "shared/calls/protocols/native-tools › is refused: %s, %s",
    guard: "if (native.length > 0 && !drops_tools)",
    without: "if (native.length < 0)",
  },
  {
    id: "crossings-2",
    test: "shared/calls/protocols/native-tools › is left out where the client allows it: %s, %s",
    guard: "native.map(nativeName)",
    without: "[]",
  },
  {
    id: "crossings-3",
    test: "shared/calls/protocols/native-tools › goes with the tool that it names: %s",
    guard: 'return withoutMembers(body, ["tool_choice"]);',
    without: "return body;",
  },
  {
    id: "crossings-4",
    test: "shared/calls/protocols/native-tools › is none where no tool is left: %s",
    guard: '["tools", "tool_choice", "parallel_tool_calls"]',
    without: '["tools"]',
  },
  {
    id: "crossings-5",
    test: "shared/calls/protocols/native-tools › the header takes no other value: %j",
    guard: "if (given === undefined || known !== undefined) return known;",
    without: "if (given !== null) return known;",
  },
  {
    id: "crossings-6",
    test: "shared/calls/protocols/native-history › by the client counts as a tool: %s",
    guard: "if (clientItems.test(type)) items.push(",
    without: "if (clientItems.test(type)) [].concat(",
  },
  {
    id: "crossings-7",
    test: "shared/base/json/exact › the arguments of an earlier call",
    guard: "if (!mayChange(body.skeleton())) return body.value;",
    without: "return body.value;",
  },
  {
    id: "crossings-8",
    test: "shared/base/json/exact › the arguments of an answer's call",
    guard: "readBody(bytes, provider.exact)",
    without: "readBody(bytes)",
  },
  {
    id: "crossings-9",
    test: "shared/base/json/exact › the arguments of a stream's call",
    in: "gemini/crossing/decoder.ts",
    guard: "exactFrame(frame, exactMembers)",
    without: "exactFrame(frame, new Set())",
  },
  {
    id: "crossings-10",
    test: "shared/base/json/exact › the schemas of tools and of the answer",
    guard: "&& !JSON.isRawJSON(value)",
    without: "",
  },
  {
    id: "crossings-11",
    test: "shared/base/json/exact › arguments that are nested too deep stay text",
    guard: "membersOf(Buffer.from(text));",
    without: "",
  },
  {
    id: "crossings-12",
    test: "shared/calls/gateway/early-input › begins with the estimate that a count of tokens gives",
    in: "translation.ts",
    guard: "input_tokens: inputTokensGuess(size, model.context_tokens),",
    without: "",
  },
  {
    id: "crossings-13",
    test: "shared/calls/gateway/early-input › ends with the real counters in Anthropic's SDK, and those are billed",
    guard: "usage: encodeUsage(state.usage)",
    without: "usage: { output_tokens: state.usage?.output_tokens }",
  },
  {
    id: "crossings-14",
    test: "shared/calls/protocols/anthropic/pitfalls › an answer with calls ends for them, whatever the host says, whole and streamed",
    guard: 'return called && ending.stop_reason === "stop" ? { stop_reason: "tool_calls" } : ending;',
    without: "return ending;",
  },
  {
    id: "crossings-15",
    test: "shared/calls/protocols/gemini/pitfalls › a refusal's words stand beside the finish reason, pause has the nearest one",
    guard: 'refusal !== undefined && isSilent ? [{ type: "text", text: refusal }] : []',
    without: "[]",
  },
  {
    id: "crossings-16",
    test: "shared/calls/gateway/agent-fields › of each client to a provider of another protocol",
    guard: 'nameUncarried(tools, fields.rows.tools.members, "tools", dropped);',
    in: "openai-responses/crossing/request.ts",
    without: "",
  },
  {
    id: "crossings-17",
    test: "shared/calls/protocols/openai-chat/old-functions › has its first call in the old form, whole",
    guard: "if (asksForOldCalls(request)) return oldCall(first);",
    without: "",
  },
  {
    id: "crossings-18",
    test: "shared/calls/protocols/openai-chat/old-functions › has it streamed",
    guard: "if (event.index > 0) return undefined;",
    without: "",
  },
  {
    id: "crossings-19",
    test: "shared/calls/protocols/openai-chat/text-tools › a text and a function of one name stay two tools",
    guard: "known && !isSame(known, own);",
    without: "known && known === own;",
  },
  {
    id: "crossings-20",
    test: "shared/calls/protocols/openai-chat/text-tools › are in the client's form, streamed, the text in one piece",
    guard: 'if (own?.owns.get(event.name)?.takes_text) texts.set(index, "");',
    without: "",
  },
];
