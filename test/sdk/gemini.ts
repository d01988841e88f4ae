/** Google's SDK. */
import type { Content, GenerateContentResponse, GoogleGenAI, Part } from "@google/genai";
import {
  type Answer,
  citySchema,
  failureOf,
  type Place,
  pictureAddress,
  png,
  prompt,
  type Question,
  type SdkClient,
  system,
  toolName,
  toolResult,
} from "./client.ts";

export function gemini(Sdk: typeof GoogleGenAI, { url, key }: Place): SdkClient {
  const client = new Sdk({ apiKey: key, httpOptions: { baseUrl: `${url}/api` } });

  const generate = async (question: Question, contents: Content[]): Promise<GenerateContentResponse[]> => {
    const request = { model: question.model, contents, config: configOf(question) };
    return question.stream
      ? await Array.fromAsync(await client.models.generateContentStream(request))
      : [await client.models.generateContent(request)];
  };

  return {
    ask: async (question) => answerOf(await generate(question, openingOf(question))),
    async converse(question, then) {
      const opening = openingOf(question);
      const parts = partsOf(await generate({ ...question, tool: true }, opening));
      const results = parts.flatMap(({ functionCall }): Part[] =>
        functionCall
          ? [
              {
                functionResponse: {
                  ...(functionCall.id ? { id: functionCall.id } : {}),
                  name: functionCall.name ?? "",
                  response: { output: toolResult },
                },
              },
            ]
          : [],
      );
      const history = [...opening, { role: "model", parts }, { role: "user", parts: results }];
      return answerOf(await generate({ ...question, tool: true, model: then }, history));
    },
    // This SDK shows no header of an error.
    fail: (model) => failureOf(generate({ model }, openingOf({ model })), () => undefined),
    models: async () => (await Array.fromAsync(await client.models.list())).map(({ name }) => name ?? ""),
    async embed(model) {
      const { embeddings } = await client.models.embedContent({ model, contents: prompt });
      return embeddings?.[0]?.values ?? [];
    },
  };
}

function configOf({ tool, schema, reasoning }: Question) {
  const declaration = { name: toolName, parametersJsonSchema: citySchema };
  return {
    systemInstruction: system,
    ...(tool ? { tools: [{ functionDeclarations: [declaration] }] } : {}),
    ...(schema ? { responseMimeType: "application/json", responseJsonSchema: citySchema } : {}),
    ...(reasoning ? { thinkingConfig: { thinkingBudget: 2000 } } : {}),
  };
}

function openingOf({ picture }: Question): Content[] {
  const bytes = { inlineData: { mimeType: "image/png", data: png } };
  const address = { fileData: { mimeType: "image/png", fileUri: pictureAddress } };
  const parts = [{ text: prompt }, ...(picture ? [picture === "bytes" ? bytes : address] : [])];
  return [{ role: "user", parts }];
}

const partsOf = (chunks: GenerateContentResponse[]): Part[] =>
  chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);

function answerOf(chunks: GenerateContentResponse[]): Answer {
  const parts = partsOf(chunks);
  const call = parts.find((part) => part.functionCall)?.functionCall;
  const usage = chunks.at(-1)?.usageMetadata;
  return {
    text: parts.map((part) => (part.thought ? "" : (part.text ?? ""))).join(""),
    ...(call ? { tool: { name: call.name ?? "", arguments: call.args } } : {}),
    usage: {
      input: usage?.promptTokenCount ?? 0,
      output: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
    },
  };
}
