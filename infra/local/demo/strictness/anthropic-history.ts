/** What Claude refuses of a conversation. Signatures are those that these providers issued (`signatures.ts`). */
import { at, type Json, listOf, rulesFor } from "./rule.ts";
import { isIssued } from "./signatures.ts";

const any = /^/;
const withoutPrefill = /^claude-(?:(?:opus|sonnet)-4-6|opus-4-[78]|opus-5|sonnet-5|haiku-5|fable-5|mythos-5)/;

interface Placed {
  block: Json;
  /** `messages.1.content.0`. */
  path: string;
  turn: number;
}

/** Every block of every turn; a text alone is one block. */
function blocksOf(body: Json): Placed[] {
  return listOf(body.messages).flatMap((message, turn) => {
    const content = message.content;
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : listOf(content);
    return blocks.map((block, index) => ({ block, path: `messages.${turn}.content.${index}`, turn }));
  });
}

const idsOf = (body: Json, turn: number, type: string, member: string) =>
  blocksOf(body)
    .filter((each) => each.turn === turn && each.block.type === type)
    .map(({ block }) => String(block[member]));

export const anthropicHistoryRules = rulesFor(any, {
  "a first turn that is not the user's": {
    source: "Anthropic's API reference",
    refuses: (body) =>
      listOf(body.messages)[0]?.role !== "user" && 'messages: first message must use the "user" role',
  },
  "a last turn that is the model's": {
    source: "HKUDS/Vibe-Trading#246, snap-stanford/Biomni#284",
    models: withoutPrefill,
    refuses: (body) =>
      listOf(body.messages).at(-1)?.role === "assistant" &&
      "This model does not support assistant message prefill. The conversation must end with a user message.",
  },
  "ids of tools": {
    source: "Anthropic's API reference",
    refuses: (body) => {
      const odd = blocksOf(body).find(
        ({ block }) => block.type === "tool_use" && !/^[a-zA-Z0-9_-]+$/.test(String(block.id)),
      );
      return odd && `${odd.path}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
    },
  },
  "an id of two calls": {
    source: "anomalyco/opencode#1279, anthropics/claude-code#20901",
    refuses: (body) => {
      const seen = new Set<unknown>();
      const again = blocksOf(body).find(
        ({ block: { type, id } }) => type === "tool_use" && seen.size === seen.add(id).size,
      );
      return again && `${again.path}: \`tool_use\` ids must be unique`;
    },
  },
  "calls without tools": {
    source: "the API's message; anomalyco/opencode#18539",
    refuses: (body) =>
      listOf(body.tools).length === 0 &&
      blocksOf(body).some(({ block }) => block.type === "tool_use" || block.type === "tool_result") &&
      "Requests which include `tool_use` or `tool_result` blocks must define tools.",
  },
  "calls without results": {
    source: "lidge-jun/opencodex#620",
    refuses: (body) => {
      for (const [turn] of listOf(body.messages).entries()) {
        const results = idsOf(body, turn + 1, "tool_result", "tool_use_id");
        const left = idsOf(body, turn, "tool_use", "id").filter((id) => !results.includes(id));
        if (left.length > 0) {
          return `messages.${turn}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${left.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
        }
      }
      return undefined;
    },
  },
  "results without calls": {
    source: "lidge-jun/opencodex#620",
    refuses: (body) => {
      const stray = blocksOf(body).find(
        ({ block, turn }) =>
          block.type === "tool_result" &&
          !idsOf(body, turn - 1, "tool_use", "id").includes(String(block.tool_use_id)),
      );
      return (
        stray &&
        `${stray.path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray.block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
      );
    },
  },
  "thinking without a signature": {
    source: "the API's validation; openai/openai-agents-python#678",
    refuses: (body) => {
      const bare = blocksOf(body).find(
        ({ block }) => block.type === "thinking" && typeof block.signature !== "string",
      );
      return bare && `${bare.path}.thinking.signature: Field required`;
    },
  },
  "a foreign signature": {
    source: "langchain-ai/langchain#33391, NousResearch/hermes-agent#17890",
    refuses: (body) => {
      for (const { block, path } of blocksOf(body)) {
        if (block.type === "thinking" && !isIssued("anthropic", block.signature)) {
          return `${path}: Invalid \`signature\` in \`thinking\` block`;
        }
        if (block.type === "redacted_thinking" && !isIssued("anthropic", block.data)) {
          return `${path}: Invalid \`data\` in \`redacted_thinking\` block`;
        }
      }
      return undefined;
    },
  },
  "a loop of tools without its thinking": {
    source: "openai/openai-agents-python#678 and #1704; adaptive thinking does not ask for it",
    refuses: (body) => {
      if (at(body, "thinking.type") !== "enabled") return undefined;
      const turns = listOf(body.messages);
      const last = turns.findLastIndex(({ role }) => role === "assistant");
      const inLoop = idsOf(body, turns.length - 1, "tool_result", "tool_use_id").length > 0;
      const first = blocksOf(body).find(({ turn }) => turn === last);
      const type = String(first?.block.type);
      return (
        inLoop &&
        first &&
        !["thinking", "redacted_thinking"].includes(type) &&
        `${first.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`
      );
    },
  },
});
