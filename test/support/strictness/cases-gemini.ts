/** Bodies that break the rules of Gemini, and bodies next to them that do not. */

import type { Json } from "#infra/local/demo/strictness/rule.ts";
import { issueSignature } from "#infra/local/demo/strictness/signatures.ts";
import { type Case, stops } from "./cases.ts";

const config = (generationConfig: Json) => ({ generationConfig });
const thinks = (thinkingConfig: Json) => config({ thinkingConfig });
const declared = (parameters: Json) => ({
  tools: [{ functionDeclarations: [{ name: "weather", parameters }] }],
});

const geminiLoop = (call: Json, results = 1) => ({
  contents: [
    { role: "user", parts: [{ text: "Hello" }] },
    { role: "model", parts: [{ functionCall: { name: "weather", args: {} }, ...call }] },
    {
      role: "user",
      parts: Array.from({ length: results }, () => ({
        functionResponse: { name: "weather", response: { result: "sunny" } },
      })),
    },
  ],
});
/** A loop whose last turn has results, between these parts. */
const between = (before: Json[], behind: Json[]) => {
  const { contents } = geminiLoop({ thoughtSignature: issueSignature("gemini", "{}") });
  const [results] = contents.slice(-1);
  return {
    contents: [
      ...contents.slice(0, -1),
      { role: "user", parts: [...before, ...(results?.parts ?? []), ...behind] },
    ],
  };
};
const fetched = (fileUri: string) => ({
  contents: [{ role: "user", parts: [{ text: "What is this?" }, { fileData: { fileUri } }] }],
});

export const geminiCases: Case[] = [
  [
    "something behind results",
    "gemini-3.8-flash",
    between([], [{ text: "Go on" }]),
    between([{ text: "Go on" }], []),
  ],
  ["unknown members", "gemini-2.5-flash", config({ stop: ["END"] }), config({ stop_sequences: ["END"] })],
  [
    "a level before Gemini 3",
    "gemini-2.5-flash",
    thinks({ thinkingLevel: "LOW" }),
    thinks({ thinkingBudget: 0 }),
  ],
  [
    "a level beside a budget",
    "gemini-3.5-flash",
    thinks({ thinkingLevel: "LOW", thinkingBudget: 9 }),
    thinks({ thinkingLevel: "LOW" }),
  ],
  [
    "a level that the model lacks",
    "gemini-3.1-pro-preview",
    thinks({ thinkingLevel: "minimal" }),
    thinks({ thinkingLevel: "low" }),
  ],
  [
    "an unknown level",
    "gemini-3.5-flash",
    thinks({ thinkingLevel: "XHIGH" }),
    thinks({ thinkingLevel: "MINIMAL" }),
  ],
  ["thinking turned off", "gemini-2.5-pro", thinks({ thinkingBudget: 0 }), thinks({ thinkingBudget: -1 })],
  [
    "a budget out of range",
    "gemini-2.5-pro",
    thinks({ thinkingBudget: 127 }),
    thinks({ thinkingBudget: 128 }),
  ],
  [
    "more than five stops",
    "gemini-2.5-pro",
    config({ stopSequences: stops(6) }),
    config({ stopSequences: stops(5) }),
  ],
  ["temperature above 2", "gemini-2.5-pro", config({ temperature: 2.1 }), config({ temperature: 2 })],
  [
    "keywords of a schema",
    "gemini-2.5-pro",
    declared({ type: "object", properties: { a: { const: 1 } } }),
    declared({ type: "object", properties: { const: { type: "string" } } }),
  ],
  ["no contents", "gemini-2.5-pro", { contents: [] }, {}],
  ["contents without parts", "gemini-2.5-pro", { contents: [{ role: "user", parts: [] }] }, {}],
  [
    "a call in the first turn",
    "gemini-2.5-pro",
    { contents: geminiLoop({}).contents.slice(1) },
    geminiLoop({}),
  ],
  [
    "a last turn that is the model's",
    "gemini-3.6-flash",
    {
      contents: [
        { role: "user", parts: [{ text: "Hi" }] },
        { role: "model", parts: [{ text: "Hi" }] },
      ],
    },
    {},
  ],
  ["calls without results", "gemini-2.5-pro", geminiLoop({}, 2), geminiLoop({})],
  [
    "a foreign signature",
    "gemini-2.5-pro",
    geminiLoop({ thoughtSignature: issueSignature("anthropic", "It rains.") }),
    geminiLoop({ thought_signature: issueSignature("gemini", "It rains.") }),
  ],
  [
    "a call without its signature",
    "gemini-3.5-flash",
    geminiLoop({}),
    geminiLoop({ thoughtSignature: "skip_thought_signature_validator" }),
  ],
  [
    "a file by an address that is not fetched",
    "gemini-2.5-pro",
    fetched("http://pictures.example/cat.png"),
    fetched("https://pictures.example/cat.png"),
  ],
];
