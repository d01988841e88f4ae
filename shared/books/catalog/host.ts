/** Clouds that serve a vendor's protocol in a form of their own. */

/** The hosts, with the protocols that each has a form for. */
export const hosts = {
  /** Amazon Bedrock: InvokeModel with the bodies of the models' makers, and streams in AWS's frames. */
  bedrock: ["anthropic", "converse", "openai"],
  /** Google's Vertex AI: its own models, and Anthropic's by rawPredict. */
  vertex: ["gemini", "anthropic"],
  /** Deployments of Azure OpenAI, with a version of the API. */
  azure: ["openai"],
} as const satisfies Record<string, readonly string[]>;

export type HostName = keyof typeof hosts;

export const hostNames = Object.keys(hosts) as HostName[];
