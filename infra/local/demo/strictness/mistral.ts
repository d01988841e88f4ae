/** What Mistral refuses. It checks every member of a body, and every id. */
import {
  at,
  isOther,
  type Json,
  listOf,
  rulesFor,
  textOf,
  unknownKey,
  type VendorError,
  words,
} from "./rule.ts";

const any = /^/;

/** The members of its API reference; LiteLLM 1.110 (llms/mistral) sends no other. */
const members = words(
  "model messages temperature top_p max_tokens stream stop random_seed metadata response_format tools",
  "tool_choice presence_penalty frequency_penalty n prediction parallel_tool_calls prompt_mode",
  "safe_prompt reasoning_effort prompt_cache_key",
);
const turnMembers = ["role", "content", "tool_calls", "prefix", "tool_call_id", "name"];

const extra = (place: string): VendorError => ({ message: `${place}: Extra inputs are not permitted` });

/** An id of a call that is not nine letters and digits. */
function oddId(body: Json): string | undefined {
  const ids = listOf(body.messages).flatMap((message) => [
    ...listOf(message.tool_calls).map(({ id }) => textOf(id)),
    ...(message.role === "tool" ? [textOf(message.tool_call_id)] : []),
  ]);
  return ids.find((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
}

export const mistralRules = rulesFor(any, {
  "unknown members": {
    source: "avante-corp/avante.nvim#2347, Gitlawb/openclaude#739, editor-code-assistant/eca#231",
    refuses: (body) => {
      const key = unknownKey(body, members);
      return key && extra(key);
    },
  },
  "unknown members of a turn": {
    source: "charmbracelet/crush#1590",
    refuses: (body) => {
      for (const [index, message] of listOf(body.messages).entries()) {
        const key = unknownKey(message, turnMembers);
        if (key) return extra(`messages.${index}.${message.role}.${key}`);
      }
      return undefined;
    },
  },
  "ids of calls": {
    source: "nearai/ironclaw#1241, mistralai/mistral-vibe#1075",
    refuses: (body) => {
      const id = oddId(body);
      return (
        id !== undefined && {
          message: `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`,
          code: "3280",
        }
      );
    },
  },
  "the user after a tool": {
    source: "nicholasgriffintn/ai-platform#414; pydantic-ai 2.68 models/mistral.py",
    refuses: (body) =>
      listOf(body.messages).some(
        ({ role }, index, all) => role === "user" && all[index - 1]?.role === "tool",
      ) && "Unexpected role 'user' after role 'tool'",
  },
  "an effort between none and high": {
    source: "pydantic-ai 2.68 providers/mistral.py (seen on 2026-10-22)",
    refuses: (body) =>
      isOther(at(body, "reasoning_effort"), ["none", "high"]) &&
      "reasoning_effort: Input should be 'none' or 'high'",
  },
});
