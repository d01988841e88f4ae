/** Which models a vendor makes itself, by their names. */
import { isAmong } from "../catalog/catalog.ts";

/** The models that a provider makes itself, by patterns. Names of others that it sells belong to their makers. */
const ownModels: Record<string, readonly string[]> = {
  alibaba: ["qwen*", "qwq-*", "qvq-*", "text-embedding-v*"],
  baidu: ["ernie-*"],
  bedrock: [],
  cerebras: [],
  cohere: ["command-*", "c4ai-*", "embed-*", "north-*"],
  deepinfra: [],
  deepseek: ["deepseek-*"],
  fireworks: [],
  groq: [],
  meta: ["muse-*"],
  mistral: ["*mistral*", "mixtral-*", "codestral-*", "devstral-*", "magistral-*", "ministral-*", "pixtral-*"],
  moonshot: ["kimi-*", "moonshot-*"],
  novita: [],
  nvidia: ["*nemotron*"],
  openrouter: [],
  perplexity: ["sonar*", "pplx-*"],
  siliconflow: [],
  stepfun: ["step-*"],
  tencent: ["hy*"],
  together: [],
  xai: ["grok-*"],
  xiaomi: ["mimo-*"],
};

/** Whether a model of this name is the provider's own. A provider that nothing is known of makes what it sells. */
export function isOwn(provider: string, name: string): boolean {
  const patterns = ownModels[provider];
  return patterns === undefined || isAmong(name, patterns);
}
