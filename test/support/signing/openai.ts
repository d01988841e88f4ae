/**
 * A model of OpenAI's chat form whose reasoning is told and not signed. It refuses fields that the form does not have.
 */
import { createIssuer, type Json, objects, say, unnamed, type Vendor } from "./issuer.ts";

const usage = { prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 };
const messageFields = ["role", "content", "refusal", "tool_calls", "tool_call_id", "reasoning_content"];
const callFields = ["id", "type", "function"];

function unknown(fields: Json, known: string[], path: string): string | undefined {
  const name = Object.keys(fields).find((key) => !known.includes(key));
  return name && `Unknown parameter: '${path}.${name}'.`;
}

export function createOpenai(): Vendor {
  const issuer = createIssuer("openai");
  return {
    issuer,
    refuses(body) {
      for (const [at, message] of objects(body.messages).entries()) {
        const path = `messages[${at}]`;
        const refusal =
          unknown(message, messageFields, path) ??
          objects(message.tool_calls)
            .map((call, index) => unknown(call, callFields, `${path}.tool_calls[${index}]`))
            .find(isRefusal);
        if (refusal) return refusal;
      }
      return undefined;
    },
    answer(body, stream) {
      const hasResults = objects(body.messages).at(-1)?.role === "tool";
      const said = say("openai", issuer, hasResults);
      const calls = said.calls.map(({ id, name, city }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify({ city }) },
      }));
      const head = { id: `chatcmpl-${said.number}`, created: 1, model: "gpt" };
      const finish_reason = hasResults ? "stop" : "tool_calls";
      const message = {
        role: "assistant",
        reasoning_content: said.thought,
        content: said.text || null,
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      };
      if (!stream) {
        return { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage };
      }
      const chunk = (delta: Json, reason: string | null = null): Json => ({
        ...head,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta, finish_reason: reason }],
      });
      return [
        ...unnamed([
          chunk({ role: "assistant", content: "" }),
          chunk({ reasoning_content: said.thought.slice(0, 4) }),
          chunk({ reasoning_content: said.thought.slice(4) }),
          ...(said.text ? [chunk({ content: said.text })] : []),
          ...calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
          chunk({}, finish_reason),
          { ...head, object: "chat.completion.chunk", choices: [], usage },
        ]),
        "data: [DONE]\n\n",
      ];
    },
  };
}

const isRefusal = (refusal: string | undefined): refusal is string => refusal !== undefined;
