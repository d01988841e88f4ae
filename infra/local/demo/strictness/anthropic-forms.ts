/** What Anthropic refuses of names, schemas and texts, whatever the model. Sentences in quotation marks are its own. */
import { isObject, type Json, listOf, objectsIn, type Rule, rulesFor, textOf } from "./rule.ts";

const everyModel = /^/;

const ownTools = (body: Json) =>
  listOf(body.tools).filter(({ type }) => type === undefined || type === "custom");
const blocksOf = (content: unknown): Json[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
const isBlank = ({ type, text }: Json) => type === "text" && textOf(text).trim() === "";

export const anthropicFormRules = rulesFor(everyModel, {
  "names of tools": {
    source: "home-assistant/core#147760, netclaw-dev/netclaw#1133, anthropics/claude-code#96152",
    refuses: (body) => {
      const at = ownTools(body).findIndex(({ name }) => !/^[a-zA-Z0-9_-]{1,128}$/.test(textOf(name)));
      return at >= 0 && `tools.${at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    },
  },
  "a tool twice": {
    source: "the API's message",
    refuses: (body) => {
      const names = listOf(body.tools).map(({ name }) => name);
      return new Set(names).size < names.length && "tools: Tool names must be unique.";
    },
  },
  "combinations at the root of a schema": {
    source: "anthropics/claude-code#40075, MoonshotAI/kimi-code#2328, dearlordylord/huly-mcp#66",
    refuses: (body) => {
      const at = ownTools(body).findIndex(
        ({ input_schema: schema }) =>
          isObject(schema) && ["oneOf", "allOf", "anyOf"].some((key) => Object.hasOwn(schema, key)),
      );
      return (
        at >= 0 &&
        `tools.${at}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`
      );
    },
  },
  "a schema that is no object": {
    source: "Anthropic's API reference",
    refuses: (body) => {
      const at = ownTools(body).findIndex(
        ({ input_schema: schema }) => !isObject(schema) || schema.type !== "object",
      );
      return at >= 0 && `tools.${at}.custom.input_schema.type: Input should be 'object'`;
    },
  },
  "open objects of strict tools": {
    source: "Anthropic's strict tool use guide",
    refuses: (body) => {
      const strict = ownTools(body).filter((tool) => tool.strict === true);
      const open = strict.some(({ input_schema: schema }) =>
        objectsIn(schema).some((each) => each.type === "object" && each.additionalProperties !== false),
      );
      return (
        open && "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false"
      );
    },
  },
  "texts without a word": {
    source: "aliasrobotics/cai#182; the API's message",
    refuses: (body) => {
      const texts = [
        ...blocksOf(body.system),
        ...listOf(body.messages).flatMap(({ content }) => blocksOf(content)),
      ];
      return texts.some(isBlank) && "messages: text content blocks must contain non-whitespace text";
    },
  },
  "space at the end of a last turn": {
    source: "the API's message",
    refuses: (body) => {
      const last = listOf(body.messages).at(-1);
      const end = last?.role === "assistant" ? blocksOf(last.content).at(-1) : undefined;
      return (
        end?.type === "text" &&
        /\s$/.test(textOf(end.text)) &&
        "messages: final assistant content cannot end with trailing whitespace"
      );
    },
  },
  "stop sequences without a word": {
    source: "the API's message",
    refuses: (body) => {
      const stops = Array.isArray(body.stop_sequences) ? body.stop_sequences : [];
      const blank = stops.some((stop) => textOf(stop).trim() === "");
      return blank && "stop_sequences: each stop sequence must contain non-whitespace";
    },
  },
  "types of pictures": {
    source: "Anthropic's API reference",
    refuses: (body) => {
      const inner = (block: Json): Json[] => [block, ...listOf(block.content).flatMap(inner)];
      const blocks = listOf(body.messages).flatMap(({ content }) => blocksOf(content).flatMap(inner));
      const known = ["image/jpeg", "image/png", "image/gif", "image/webp"];
      const odd = blocks.find(
        ({ type, source }) =>
          type === "image" &&
          isObject(source) &&
          source.type === "base64" &&
          !known.includes(textOf(source.media_type)),
      );
      return (
        odd &&
        "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'"
      );
    },
  },
  "a system turn out of place": {
    source: "Anthropic's guide to system messages in a conversation; anthropics/claude-code#61412",
    refuses: (body) => {
      const turns = listOf(body.messages);
      const wrong = turns.some(
        ({ role }, at) =>
          role === "system" &&
          (turns[at - 1]?.role !== "user" || (at < turns.length - 1 && turns[at + 1]?.role !== "assistant")),
      );
      return wrong && "messages: a system message must follow a user message";
    },
  },
});

/** Models that take no turn of the role `system`. */
export const systemTurnRule: Rule = {
  name: "a system turn",
  source: "anthropics/claude-code#61412, vercel/ai#15674",
  models: /^claude-(?:3-|(?:haiku|sonnet)-4|opus-4-(?:[0-7](?:-|$)|2025))/,
  refuses: (body) =>
    listOf(body.messages).some(({ role }) => role === "system") &&
    "role 'system' is not supported on this model",
};
