/**
 * What the real providers refuse, for the demo provider and those of the tests. The rules are data (`strictness/`), each
 * with the public place where the refusal was seen. They are written from those places and from nothing of the product.
 * Rules of forms hold whatever the model is called. The others hold for models that are named as the real ones are.
 */
import { invokeMaker } from "./bedrock-makers.ts";
import { claudeAt } from "./claude-name.ts";
import { anthropicRules } from "./strictness/anthropic.ts";
import { anthropicFormRules, systemTurnRule } from "./strictness/anthropic-forms.ts";
import { anthropicHistoryRules } from "./strictness/anthropic-history.ts";
import { arkRules, minimaxRules, zhipuRules } from "./strictness/compatible.ts";
import { converseFormRules, converseToolRules } from "./strictness/converse-forms.ts";
import { converseCallRules, converseTurnRules } from "./strictness/converse-turns.ts";
import { geminiRules } from "./strictness/gemini.ts";
import { geminiFormRules, resultMediaRule } from "./strictness/gemini-forms.ts";
import { geminiHistoryRules } from "./strictness/gemini-history.ts";
import { mistralRules } from "./strictness/mistral.ts";
import { openaiRules } from "./strictness/openai.ts";
import { chatFormRules, responsesFormRules } from "./strictness/openai-forms.ts";
import { responsesRules } from "./strictness/responses.ts";
import {
  at,
  camelCased,
  type DemoHeaders,
  type Json,
  type Rule,
  type VendorError,
} from "./strictness/rule.ts";
import { vendorRules } from "./strictness/vendors.ts";

/** Vendors of OpenAI's chat form whose providers are told by their address, which begins with their name. */
const addressed = { ...vendorRules, mistral: mistralRules } as const satisfies Record<
  string,
  readonly Rule[]
>;
export type Addressed = keyof typeof addressed;

/** Whose API a request is for; OpenAI has two. */
export type Vendor = keyof typeof own | Addressed;

export interface VendorRefusal {
  status: number;
  /** In the vendor's own error form. */
  body: Json;
  /** The name of the rule that refuses. */
  rule: string;
  /** Headers that name the refusal, where the body does not. */
  headers?: Record<string, string>;
}

/** Vendors that are told by their protocol, or by the names of their models. */
const own = {
  openai: [...openaiRules, ...chatFormRules],
  responses: [...responsesRules, ...responsesFormRules],
  anthropic: [...anthropicRules, ...anthropicHistoryRules, systemTurnRule, ...anthropicFormRules],
  gemini: [...geminiRules, ...geminiHistoryRules, resultMediaRule, ...geminiFormRules],
  converse: [...converseTurnRules, ...converseCallRules, ...converseToolRules, ...converseFormRules],
  zhipu: [...zhipuRules, ...chatFormRules],
  ark: [...arkRules, ...chatFormRules],
  minimax: [...minimaxRules, ...chatFormRules],
} as const satisfies Record<string, readonly Rule[]>;

/** Every rule of each vendor, in the order in which they are asked. */
export const rules: Record<Vendor, readonly Rule[]> = { ...own, ...addressed };

/** How each vendor says what it refuses. The others have OpenAI's form. */
const errorForms: Partial<Record<Vendor, (told: VendorError) => Json>> = {
  mistral: ({ message, code = null }) => ({
    object: "error",
    message,
    type: "invalid_request_error",
    param: null,
    code,
  }),
  cohere: ({ message }) => ({ id: "strict", message }),
  xai: ({ message }) => ({ code: "Client specified an invalid argument", error: message }),
  siliconflow: ({ message }) => ({ code: 20_015, message, data: null }),
  anthropic: ({ message }) => ({
    type: "error",
    error: { type: "invalid_request_error", message },
    request_id: "req_strict",
  }),
  converse: ({ message }) => ({ message }),
  gemini: ({ message }) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }),
  zhipu: ({ message, code = "1210" }) => ({ error: { code, message } }),
  ark: ({ message, param = "" }) => ({
    error: { code: "InvalidParameter", message, param, type: "BadRequest" },
  }),
  minimax: ({ message }) => ({
    type: "error",
    error: { type: "bad_request_error", message, http_code: "400" },
    request_id: "strict",
  }),
};

/** How AWS names it. */
const awsNamed = { headers: { "x-amzn-errortype": "ValidationException" } };

function openaiError({ message, param, code }: VendorError): Json {
  return {
    error: { message, type: "invalid_request_error", param: param ?? null, code: code ?? null },
  };
}

/** What the vendor answers to a body that it refuses for a model, or undefined for one that it takes. */
export function refusalOf(
  vendor: Vendor,
  model: string,
  body: Json,
  headers: DemoHeaders = {},
): VendorRefusal | undefined {
  const read = vendor === "gemini" ? camelCased(body) : body;
  for (const { name, models, refuses } of rules[vendor]) {
    const told = models.test(model) ? refuses(read, headers, model) : undefined;
    if (told) {
      const form = errorForms[vendor] ?? openaiError;
      const error = typeof told === "string" ? { message: told } : told;
      return { status: 400, body: form(error), rule: name, ...(vendor === "converse" && awsNamed) };
    }
  }
  return undefined;
}

/** The same for a request. Its path tells the protocol, and the vendor by its beginning; else the model's name does. */
export function refusalAt(path: string, body: Json, headers: DemoHeaders = {}): VendorRefusal | undefined {
  const [target = ""] = path.split("?");
  const google = /\/models\/([^/]+):(?:stream)?[gG]enerateContent$/.exec(target);
  if (google) return refusalOf("gemini", decodeURIComponent(google[1] ?? ""), body, headers);
  const bedrock = /\/model\/([^/]+)\/converse(?:-stream)?$/.exec(target);
  if (bedrock) return refusalOf("converse", decodeURIComponent(bedrock[1] ?? ""), body, headers);
  const invoked = /\/model\/([^/]+)\/invoke(?:-with-response-stream)?$/.exec(target);
  if (invoked) return refusalOfInvoke(decodeURIComponent(invoked[1] ?? ""), body, headers);
  const claude = /\/models\/([^/]+):(?:stream)?[rR]awPredict$/.exec(target);
  if (claude) {
    const { anthropic_version: _, ...rest } = body;
    return refusalOf("anthropic", decodeURIComponent(claude[1] ?? ""), rest, headers);
  }
  const model = String(body.model ?? "");
  if (target.endsWith("/v1/messages")) return refusalOf("anthropic", model, body, headers);
  if (target.endsWith("/responses")) return refusalOf("responses", model, body, headers);
  if (target.endsWith("/chat/completions")) {
    return refusalOf(vendorAt(target) ?? chatVendor(model), model, body, headers);
  }
  return undefined;
}

/** Anthropic's rules, told in AWS's form. Betas stand in the body, and the version is the oldest one. */
function refusalOfInvoke(model: string, body: Json, headers: DemoHeaders): VendorRefusal | undefined {
  // The forms of vectors and pictures refuse what is strange to them by themselves.
  if (invokeMaker(model)) return undefined;
  const { anthropic_version: _, anthropic_beta: betas, ...rest } = body;
  const told = { ...headers, "anthropic-beta": Array.isArray(betas) ? betas.join(",") : undefined };
  const refusal = refusalOf("anthropic", claudeAt(model), rest, told);
  return refusal && { ...refusal, body: { message: at(refusal.body, "error.message") }, ...awsNamed };
}

function vendorAt(target: string): Addressed | undefined {
  const [, name = ""] = target.split("/");
  return Object.hasOwn(addressed, name) ? (name as Addressed) : undefined;
}

function chatVendor(model: string): Vendor {
  if (/^glm-/i.test(model)) return "zhipu";
  if (/^doubao-/i.test(model)) return "ark";
  return /^minimax-/i.test(model) ? "minimax" : "openai";
}
