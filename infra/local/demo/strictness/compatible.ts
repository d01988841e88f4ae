/** What the providers refuse that speak OpenAI's chat form: Zhipu, Volcengine Ark and MiniMax. */
import { at, isOther, listOf, rulesFor } from "./rule.ts";

const glm = /^glm-/i;
const doubao = /^doubao-/i;

export const zhipuRules = rulesFor(glm, {
  "a choice of tool other than auto": {
    source: "vectorize-io/hindsight#4246",
    refuses: (body) => {
      const choice = at(body, "tool_choice");
      return (
        choice !== undefined && choice !== "auto" && { message: "Tool choice must be auto", code: "1214" }
      );
    },
  },
  "more than one stop": {
    source: "docs.bigmodel.cn (chat completions)",
    refuses: (body) =>
      [at(body, "stop") ?? []].flat().length > 1 && { message: "stop 参数非法。请检查文档。", code: "1214" },
  },
  "temperature above 1": {
    source: "docs.bigmodel.cn (chat completions)",
    refuses: (body) =>
      Number(at(body, "temperature") ?? 0) > 1 && {
        message: "temperature 参数非法。请检查文档。",
        code: "1214",
      },
  },
  "OpenAI's developer": {
    source: "openclaw/openclaw#23115, vastsa/PI-Desktop#30",
    refuses: (body) =>
      listOf(body.messages).some(({ role }) => role === "developer") && {
        message: "Incorrect role information",
        code: "1214",
      },
  },
});

export const arkRules = rulesFor(doubao, {
  "more than four stops": {
    source: "docs.anyfast.ai (Doubao)",
    refuses: (body) =>
      [at(body, "stop") ?? []].flat().length > 4 && {
        message: "The parameter `stop` specified in the request is not valid: at most 4 sequences.",
        param: "stop",
      },
  },
  "an unknown word for effort": {
    source: "docs.evolink.ai (Doubao Seed 2.0): minimal, low, medium, high",
    models: /^doubao-seed-(?:1-8|2-0)-\w+-260215|^doubao-seed-1-8/,
    refuses: (body) => {
      const effort = at(body, "reasoning_effort");
      return (
        isOther(effort, ["minimal", "low", "medium", "high"]) && {
          message: `The parameter \`reasoning_effort\` specified in the request is not valid: invalid value: ${effort}.`,
          param: "reasoning_effort",
        }
      );
    },
  },
  "an unknown switch of thinking": {
    source: "volcengine.com/docs/6492/2165109 as cited in models.dev#2356",
    refuses: (body) => {
      const type = at(body, "thinking.type");
      return (
        isOther(type, ["enabled", "disabled", "auto"]) && {
          message: `The parameter \`thinking.type\` specified in the request is not valid: invalid value: ${type}.`,
          param: "thinking.type",
        }
      );
    },
  },
});

export const minimaxRules = rulesFor(/^minimax-/i, {
  "more than one answer": {
    source: "platform.minimaxi.com/docs/api-reference/text-openai-api",
    refuses: (body) => Number(at(body, "n") ?? 1) > 1 && "invalid params, n must be 1 (2013)",
  },
  "an unknown type of thinking": {
    source: "java.agentscope.io/v2/en/integration/model/minimax: adaptive and disabled",
    models: /^minimax-m3/i,
    refuses: (body) => {
      const type = at(body, "thinking.type");
      return (
        isOther(type, ["adaptive", "disabled"]) &&
        `invalid params, thinking.type ${type} is not supported (2013)`
      );
    },
  },
});
