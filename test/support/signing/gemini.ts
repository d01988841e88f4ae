/** Gemini 3, as strict as it is with thoughts and calls that come back. */
import {
  createIssuer,
  isObject,
  type Json,
  objects,
  type Said,
  say,
  unnamed,
  type Vendor,
} from "./issuer.ts";

/** What Google documents in place of a signature that there is none of. */
const sentinel = "skip_thought_signature_validator";
const usageMetadata = {
  promptTokenCount: 20,
  candidatesTokenCount: 4,
  thoughtsTokenCount: 3,
  totalTokenCount: 27,
};

export function createGemini(): Vendor {
  const issuer = createIssuer("gemini");
  return {
    issuer,
    refuses(body) {
      for (const [at, content] of objects(body.contents).entries()) {
        const parts = objects(content.parts);
        if (parts.length === 0) return `contents[${at}].parts: must not be empty.`;
        for (const { thoughtSignature: signature } of parts) {
          if (signature === undefined) continue;
          if (!/^[\w+/-]+={0,2}$/.test(String(signature))) return "Base64 decoding failed";
          if (signature !== sentinel && !issuer.signed(standard(signature)))
            return "Corrupted thought signature.";
        }
      }
      return missing(objects(body.contents));
    },
    answer(body, stream) {
      const last = objects(objects(body.contents).at(-1)?.parts);
      const hasResults = last.some(({ functionResponse }) => functionResponse);
      const config = body.generationConfig;
      const thinking = isObject(config) && isObject(config.thinkingConfig) ? config.thinkingConfig : {};
      const said = say("gemini", issuer, hasResults);
      const parts = partsOf(said, thinking.includeThoughts === true, issuer.sign);
      const chunk = (some: Json[], finishReason?: string): Json => ({
        candidates: [
          { index: 0, content: { role: "model", parts: some }, ...(finishReason ? { finishReason } : {}) },
        ],
        usageMetadata,
        modelVersion: "gemini",
        responseId: `r${said.number}`,
      });
      if (!stream) return chunk(parts, "STOP");
      const calls = parts.filter(({ functionCall }) => functionCall);
      const told = pieces(parts.filter(({ functionCall }) => !functionCall)).map((part) => chunk([part]));
      return unnamed([...told, ...(calls.length > 0 ? [chunk(calls)] : []), chunk([{ text: "" }], "STOP")]);
    },
  };
}

/** The first call of each step must be signed. A step is all that the model says until someone else does. */
function missing(contents: Json[]): string | undefined {
  let first = true;
  for (const [at, { role, parts }] of contents.entries()) {
    if (role !== "model") first = true;
    for (const { functionCall, thoughtSignature } of objects(parts)) {
      if (!functionCall) continue;
      if (first && thoughtSignature === undefined) {
        return `Function call is missing a thought_signature in functionCall parts, position ${at + 1}.`;
      }
      first = false;
    }
  }
  return undefined;
}

/** Google's own SDKs may write it in the other alphabet. */
const standard = (signature: unknown): string => Buffer.from(String(signature), "base64").toString("base64");

/** The first of parallel calls is signed, or the last words. */
function partsOf(said: Said, tellsThoughts: boolean, sign: (text: string) => string): Json[] {
  const { thought, calls, text } = said;
  const uses = calls.map(({ id, name, city }, index) => ({
    functionCall: { id, name, args: { city } },
    ...(index === 0 ? { thoughtSignature: sign(id) } : {}),
  }));
  return [
    ...(tellsThoughts ? [{ text: thought, thought: true }] : []),
    ...(text ? [{ text, thoughtSignature: sign(text) }] : []),
    ...uses,
  ];
}

/** As a stream brings them: a thought in two pieces, and the signature of words on an empty part. */
function pieces(parts: Json[]): Json[] {
  return parts.flatMap((part): Json[] => {
    const { text, thought, thoughtSignature } = part;
    if (thought === true)
      return [String(text).slice(0, 6), String(text).slice(6)].map((piece) => ({ text: piece, thought }));
    return typeof text === "string" ? [{ text }, { text: "", thoughtSignature }] : [part];
  });
}
