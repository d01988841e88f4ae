/** OpenAI's SDK, responses. */
import type OpenAI from "openai";
import {
  type Answer,
  citySchema,
  failureOf,
  type Place,
  parsed,
  pictureAddress,
  png,
  prompt,
  type Question,
  type SdkClient,
  system,
  toolName,
  toolResult,
} from "./client.ts";

type Item = OpenAI.Responses.ResponseInputItem;
type Response = OpenAI.Responses.Response;

export function openaiResponses(Sdk: typeof OpenAI, { url, key }: Place): SdkClient {
  const client = new Sdk({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });

  const respond = async (question: Question, input: Item[]): Promise<Response> => {
    const request = { instructions: system, input, ...parametersOf(question) };
    return question.stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
  };

  return {
    ask: async (question) => answerOf(await respond(question, openingOf(question))),
    async converse(question, then) {
      const opening = openingOf(question);
      const { output } = await respond({ ...question, tool: true }, opening);
      const results = output.flatMap((item): Item[] =>
        item.type === "function_call"
          ? [{ type: "function_call_output", call_id: item.call_id, output: toolResult }]
          : [],
      );
      const history = [...opening, ...(output as Item[]), ...results];
      return answerOf(await respond({ ...question, tool: true, model: then }, history));
    },
    fail: (model) => failureOf(respond({ model }, openingOf({ model })), ({ requestID }) => requestID),
  };
}

function parametersOf({ model, tool, schema, reasoning }: Question) {
  const format = { type: "json_schema" as const, name: "city", schema: citySchema, strict: true };
  const weather = { type: "function" as const, name: toolName, parameters: citySchema, strict: false };
  return {
    model,
    ...(tool ? { tools: [weather] } : {}),
    ...(schema ? { text: { format } } : {}),
    ...(reasoning ? { reasoning: { effort: "high" as const } } : {}),
  };
}

function openingOf({ picture }: Question): Item[] {
  const image_url = picture === "bytes" ? `data:image/png;base64,${png}` : pictureAddress;
  const image = { type: "input_image" as const, detail: "auto" as const, image_url };
  const content = [{ type: "input_text" as const, text: prompt }, ...(picture ? [image] : [])];
  return [{ type: "message", role: "user", content }];
}

function answerOf({ status, output, output_text, usage }: Response): Answer {
  if (status !== "completed") throw new Error(`status ${status}`);
  const call = output.find((item) => item.type === "function_call");
  return {
    text: output_text,
    ...(call ? { tool: { name: call.name, arguments: parsed(call.arguments) } } : {}),
    usage: { input: usage?.input_tokens ?? 0, output: usage?.output_tokens ?? 0 },
  };
}
