/** What Gemini refuses of a conversation. Signatures are those that these providers issued (`signatures.ts`). */
import { at, type Json, listOf, rulesFor } from "./rule.ts";
import { isIssued } from "./signatures.ts";

const any = /^gemini-/;
const withoutPrefill = /^gemini-(?:3\.[5-9]|[4-9])/;
const from3 = /^gemini-[3-9]/;

/** What Google documents in place of a signature that there is none of. */
const placeholders = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

const partsOf = (content: Json | undefined) => listOf(content?.parts);
const callsIn = (content: Json | undefined) => partsOf(content).filter((part) => part.functionCall);
const resultsIn = (content: Json | undefined) => partsOf(content).filter((part) => part.functionResponse);

export const geminiHistoryRules = rulesFor(any, {
  "no contents": {
    source: "the API's message",
    refuses: (body) =>
      listOf(body.contents).length === 0 && "* GenerateContentRequest.contents: contents is not specified",
  },
  "contents without parts": {
    source: "the API's message",
    refuses: (body) => {
      const empty = listOf(body.contents).findIndex((content) => partsOf(content).length === 0);
      return (
        empty >= 0 && `* GenerateContentRequest.contents[${empty}].parts: contents.parts must not be empty.`
      );
    },
  },
  "a call in the first turn": {
    source: "diegosouzapw/OmniRoute#13573, google-gemini/gemini-cli#11814",
    refuses: (body) =>
      callsIn(listOf(body.contents)[0]).length > 0 &&
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
  },
  "a last turn that is the model's": {
    source: "anomalyco/opencode#47034, LibreChat-AI/agents#323, pipecat-ai/pipecat#5821",
    models: withoutPrefill,
    refuses: (body) =>
      listOf(body.contents).at(-1)?.role === "model" &&
      "Requests ending with a model turn are not supported.",
  },
  "something behind results": {
    source:
      "deepnoodle-ai/dive#287, langchain-ai/langchainjs#11477, MoonshotAI/kimi-code#3274, google/oss-rebuild#1559",
    models: from3,
    refuses: (body) =>
      listOf(body.contents).some((content) => {
        const parts = partsOf(content);
        const first = parts.findIndex((part) => part.functionResponse);
        return first >= 0 && parts.slice(first).some((part) => !part.functionResponse);
      }) && "Requests ending with a model turn are not supported.",
  },
  "calls without results": {
    source: "the API's message",
    refuses: (body) => {
      const contents = listOf(body.contents);
      const uneven = contents.some((content, index) => {
        const calls = callsIn(content).length;
        return calls > 0 && index + 1 < contents.length && resultsIn(contents[index + 1]).length !== calls;
      });
      return (
        uneven &&
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
      );
    },
  },
  "a foreign signature": {
    source: "google-gemini/gemini-cli#13467, lbjlaq/Antigravity-Manager#970",
    refuses: (body) => {
      const signatures = listOf(body.contents).flatMap((content) =>
        partsOf(content).map((part) => part.thoughtSignature ?? undefined),
      );
      const foreign = signatures.some(
        (signature) =>
          signature !== undefined &&
          !placeholders.includes(String(signature)) &&
          !isIssued("gemini", signature),
      );
      return foreign && "Corrupted thought signature.";
    },
  },
  "a call without its signature": {
    source:
      "langgenius/dify#29187, nearai/ironclaw#1510; of each step since the user's last words, the first call",
    models: from3,
    refuses: (body) => {
      const contents = listOf(body.contents);
      const asked = contents.findLastIndex(
        (content) => content.role !== "model" && partsOf(content).some((part) => part.text),
      );
      for (const [index, content] of contents.entries()) {
        const [first] = callsIn(content);
        if (index <= asked || !first || first.thoughtSignature) continue;
        const name = at(first, "functionCall.name");
        return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`;
      }
      return undefined;
    },
  },
  "a file by an address that is not fetched": {
    source: "BoundaryML/baml#1548, vercel/ai#16757; Gemini 2.5 and later fetch public https addresses",
    refuses: (body, _, model) => {
      const uris = listOf(body.contents).flatMap((content) =>
        partsOf(content).map((part) => at(part, "fileData.fileUri")),
      );
      const own =
        /^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/|https:\/\/(?:www\.)?youtu\.?be)/;
      const odd = uris.find(
        (uri) =>
          typeof uri === "string" &&
          !own.test(uri) &&
          (!uri.startsWith("https://") || /^gemini-2\.0/.test(model)),
      );
      return odd !== undefined && `Invalid or unsupported file uri: ${odd}`;
    },
  },
});
