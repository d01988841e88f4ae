/** One request of each chat protocol that uses most of what it has: the ground the fuzzer mutates. */
import type { Speech } from "../../../support/crossed.ts";

type Json = Record<string, unknown>;

const image = "data:image/png;base64,iVBORw0KGgoAAAAN";
const schema = {
  type: "object",
  properties: { zone: { type: "string", enum: ["utc"] }, list: { type: "array", items: {} } },
  required: ["zone"],
};

export const richRequests: Record<Speech, Json> = {
  openai: {
    messages: [
      { role: "system", content: "Be brief." },
      { role: "developer", content: [{ type: "text", text: "Be kind." }] },
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: image, detail: "low" } },
          { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" } },
        ],
      },
      {
        role: "assistant",
        content: "Well.",
        reasoning_content: "Hm.",
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: { name: "now", arguments: '{"zone":"utc"}' },
            extra_content: { google: { thought_signature: "c2ln" } },
          },
        ],
      },
      { role: "tool", tool_call_id: "call_1", content: "noon" },
      { role: "user", content: "So?" },
    ],
    tools: [
      { type: "function", function: { name: "now", description: "d", parameters: schema, strict: true } },
    ],
    tool_choice: { type: "function", function: { name: "now" } },
    parallel_tool_calls: false,
    max_tokens: 50,
    temperature: 0.5,
    top_p: 0.9,
    stop: ["x"],
    response_format: { type: "json_schema", json_schema: { name: "n", schema, strict: true } },
    reasoning_effort: "low",
    seed: 1,
    user: "u",
  },
  anthropic: {
    max_tokens: 3000,
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
          {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
            title: "a",
          },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "c2ln" },
          { type: "redacted_thinking", data: "cmVk" },
          { type: "text", text: "Well." },
          { type: "tool_use", id: "toolu_1", name: "now", input: { zone: "utc" } },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            is_error: false,
            content: [{ type: "text", text: "noon" }],
          },
          { type: "text", text: "So?" },
        ],
      },
    ],
    tools: [{ name: "now", description: "d", input_schema: schema }],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
    thinking: { type: "enabled", budget_tokens: 1024 },
    output_config: { effort: "low", format: { type: "json_schema", schema } },
    metadata: { user_id: "u" },
    temperature: 0.5,
    top_k: 5,
    stop_sequences: ["x"],
  },
  gemini: {
    systemInstruction: { parts: [{ text: "Be brief." }] },
    contents: [
      {
        role: "user",
        parts: [
          { text: "Look" },
          { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } },
          { fileData: { mimeType: "image/png", fileUri: "https://media.example/a.png" } },
        ],
      },
      {
        role: "model",
        parts: [
          { text: "Hm.", thought: true, thoughtSignature: "c2ln" },
          { functionCall: { id: "f1", name: "now", args: { zone: "utc" } }, thoughtSignature: "c2ln" },
        ],
      },
      {
        role: "user",
        parts: [{ functionResponse: { id: "f1", name: "now", response: { result: "noon" } } }],
      },
    ],
    tools: [
      {
        functionDeclarations: [{ name: "now", description: "d", parameters: { ...schema, type: "OBJECT" } }],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["now"] } },
    generationConfig: {
      temperature: 0.5,
      topP: 0.9,
      topK: 5,
      maxOutputTokens: 50,
      stopSequences: ["x"],
      responseMimeType: "application/json",
      responseSchema: { ...schema, type: "OBJECT" },
      thinkingConfig: { thinkingLevel: "LOW", includeThoughts: true },
    },
  },
  responses: {
    instructions: "Be brief.",
    input: [
      {
        type: "message",
        role: "user",
        content: [
          { type: "input_text", text: "Look" },
          { type: "input_image", image_url: image, detail: "low" },
          { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
        ],
      },
      {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "Hm." }],
        encrypted_content: "c2ln",
      },
      { role: "assistant", content: [{ type: "output_text", text: "Well.", annotations: [] }] },
      { type: "function_call", call_id: "call_1", name: "now", arguments: '{"zone":"utc"}' },
      { type: "function_call_output", call_id: "call_1", output: [{ type: "input_text", text: "noon" }] },
      { role: "user", content: "So?" },
    ],
    tools: [{ type: "function", name: "now", description: "d", parameters: schema, strict: true }],
    tool_choice: { type: "function", name: "now" },
    parallel_tool_calls: false,
    max_output_tokens: 50,
    temperature: 0.5,
    text: { format: { type: "json_schema", name: "n", schema, strict: true } },
    reasoning: { effort: "low", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    user: "u",
  },
};
