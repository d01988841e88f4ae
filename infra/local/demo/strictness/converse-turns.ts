/**
 * What Bedrock's Converse refuses of a conversation, whatever the model. Where no thread is named, the rule is in the service
 * model that AWS publishes with its SDKs (bedrock-runtime 2023-09-30, botocore 1.43).
 */
import { blocksOf, constraint, idsOf, placed, toolsOf, turnsOf } from "./converse-parts.ts";
import { isObject, listOf, rulesFor, textOf, unknownKey, words } from "./rule.ts";

const kinds = words(
  "text image document video audio toolUse toolResult guardContent cachePoint reasoningContent citationsContent",
  "searchResult",
);
/** What stands in turns of one role alone. */
const foreign: Readonly<Record<string, readonly string[]>> = {
  user: ["reasoningContent", "toolUse"],
  assistant: ["toolResult", "image", "document"],
};

export const converseTurnRules = rulesFor(/^/, {
  "roles in turns": {
    source: "langchain-ai/langchainjs#6724, Portkey-AI/gateway#748",
    refuses: (body) =>
      turnsOf(body).some(({ role }, at, all) => role === all[at - 1]?.role) &&
      "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.",
  },
  "a first turn that is not the user's": {
    source: "langgenius/dify#12340",
    refuses: (body) =>
      turnsOf(body)[0]?.role !== "user" &&
      "A conversation must start with a user message. Try again with a conversation that starts with a user message.",
  },
  "an empty turn": {
    source: "langchain-ai/langchain#26968, earendil-works/pi#3443",
    refuses: (body) => {
      const at = turnsOf(body).findIndex((turn) => blocksOf(turn).length === 0);
      return (
        at >= 0 &&
        `The content field in the Message object at messages.${at} is empty. Add a ContentBlock object to the content field and try again.`
      );
    },
  },
  "a block that is not one member": {
    source: "the union ContentBlock of the service model",
    refuses: (body) => {
      const blocks = turnsOf(body).flatMap(blocksOf);
      const odd = blocks.some((block) => Object.keys(block).length !== 1 || unknownKey(block, kinds));
      return odd && constraint("messages", "Member must be one of ContentBlock");
    },
  },
  "texts without a word": {
    source: "aws-samples/bedrock-engineer#8, NousResearch/hermes-agent#60628",
    refuses: (body) => {
      const blank = placed(body).find(({ kind, value }) => kind === "text" && textOf(value).trim() === "");
      if (blank) {
        return `The text field in the ContentBlock object at ${blank.path} is blank. Add text to the text field, and try again.`;
      }
      const system = listOf(body.system).some(({ text }) => text !== undefined && textOf(text).trim() === "");
      return system && "The text field in the SystemContentBlock object at system is blank.";
    },
  },
  "space at the end of a last turn": {
    source: "Anthropic's message, which Bedrock passes on for Claude",
    refuses: (body) => {
      const last = turnsOf(body).at(-1);
      const end = last?.role === "assistant" ? blocksOf(last).at(-1) : undefined;
      return (
        typeof end?.text === "string" &&
        /\s$/.test(end.text) &&
        "The model returned the following errors: messages: final assistant content cannot end with trailing whitespace"
      );
    },
  },
  "blocks of the other role": {
    source: "can1357/oh-my-pi#9086; the service model's notes on Message",
    refuses: (body) => {
      const wrong = placed(body).find(({ kind, turn }) =>
        foreign[textOf(turnsOf(body)[turn]?.role)]?.includes(kind),
      );
      return wrong && `${wrong.path} cannot contain ${wrong.kind}. Please remove it and try again.`;
    },
  },
  "reasoning without a signature": {
    source: "can1357/oh-my-pi#9086 (Nova), UKGovernmentBEIS/inspect_ai#5300 (Claude)",
    refuses: (body) => {
      const bare = placed(body).some(({ kind, value }) => {
        const told = kind === "reasoningContent" && isObject(value) ? value.reasoningText : undefined;
        return isObject(told) && textOf(told.signature) === "";
      });
      return bare && "messages.1.content.0.thinking.signature: Field required";
    },
  },
});

/** Calls and their results. */
export const converseCallRules = rulesFor(/^/, {
  "ids of calls": {
    source: "BerriAI/litellm#20049; pattern and length are the service model's, in the older, stricter form",
    refuses: (body) => {
      const odd = placed(body).find(
        ({ kind, value }) =>
          (kind === "toolUse" || kind === "toolResult") &&
          isObject(value) &&
          !/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(value.toolUseId)),
      );
      return (
        odd &&
        constraint(`${odd.path}.toolUseId`, "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+")
      );
    },
  },
  "names of called tools": {
    source: "caipe-io/ai-platform-engineering#2204",
    refuses: (body) => {
      const odd = placed(body).find(
        ({ kind, value }) =>
          kind === "toolUse" && isObject(value) && !/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(value.name)),
      );
      return (
        odd &&
        constraint(
          `${odd.path}.toolUse.name`,
          "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        )
      );
    },
  },
  "an id of two calls": {
    source: "double16/Cyber-AutoAgent-ng#27, BerriAI/litellm#20048",
    refuses: (body) => {
      const all = turnsOf(body).flatMap((_, turn) => idsOf(body, turn, "toolUse"));
      const again = all.find((id, at) => all.indexOf(id) < at);
      return again !== undefined && `The toolUse blocks at messages contain duplicate Ids: ${again}`;
    },
  },
  "calls without tools": {
    source: "vxcontrol/pentagi#196, patriceckhart/zot#18",
    refuses: (body) =>
      toolsOf(body).length === 0 &&
      placed(body).some(({ kind }) => kind === "toolUse" || kind === "toolResult") &&
      "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  },
  "calls without results": {
    source: "NousResearch/hermes-agent#108584",
    refuses: (body) => {
      for (const [turn] of turnsOf(body).entries()) {
        const results = idsOf(body, turn + 1, "toolResult");
        const left = idsOf(body, turn, "toolUse").filter((id) => !results.includes(id));
        if (left.length > 0) {
          return `Expected toolResult blocks at messages.${turn + 1}.content for the following Ids: ${left.join(", ")}`;
        }
      }
      return undefined;
    },
  },
  "results without calls": {
    source: "strands-agents/harness-sdk#1435, langgenius/dify-official-plugins#765",
    refuses: (body) => {
      const turn = turnsOf(body).findIndex((_, at) => {
        const calls = idsOf(body, at - 1, "toolUse");
        return idsOf(body, at, "toolResult").some((id) => !calls.includes(id));
      });
      return (
        turn >= 0 &&
        `The number of toolResult blocks at messages.${turn}.content exceeds the number of toolUse blocks of previous turn.`
      );
    },
  },
  "arguments that are no object": {
    source: "the service model: a document, which tools have as an object",
    refuses: (body) =>
      placed(body).some(
        ({ kind, value }) => kind === "toolUse" && isObject(value) && !isObject(value.input),
      ) &&
      "The format of the value at messages.0.content.0.toolUse.input is invalid. Provide a json object for the field and try again.",
  },
  "a result without content": {
    source: "pydantic/pydantic-ai#6115, strands-agents/harness-sdk#2123",
    refuses: (body) => {
      const results = placed(body).flatMap(({ kind, value }) =>
        kind === "toolResult" && isObject(value) ? [value] : [],
      );
      return (
        results.some((result) => blocksOf(result).length === 0) &&
        "The content field in the ToolResult object is blank. Add content and try again."
      );
    },
  },
});
