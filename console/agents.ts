/** How each coding agent is set up to call a gateway. `npm run agents` plays with the same lines. */
import { keyVariable, type SdkProtocol } from "./sdk-programs.ts";

interface Agent {
  name: string;
  /** Variables of its environment. */
  variables?: Record<string, string>;
  /** The file of its settings, below the home. */
  file?: { path: string; text: string };
  /** The words that start it. */
  command?: string;
  /** What is typed into its settings, by the names of the fields. */
  fields?: Record<string, string>;
  /** A program of Python's, for a framework. */
  python?: string;
}

/** What the lines of an agent name. */
interface AgentCall {
  /** The gateway's address, without a path. */
  url: string;
  /** The key, or what stands in its place. */
  key: string;
  model: string;
}

/** The names of all agents, with the protocol of the models that each is used with most. */
const agentProtocols = {
  "Claude Code": "anthropic",
  "Claude Code, Bedrock": "anthropic",
  Codex: "openai",
  "Gemini CLI": "gemini",
  opencode: "anthropic",
  "Cline, Roo Code": "anthropic",
  aider: "openai",
  Cursor: "openai",
  LangChain: "openai",
} as const satisfies Record<string, SdkProtocol>;

export type AgentName = keyof typeof agentProtocols;

/** The setup of one agent. */
export function agentSetup(name: AgentName, call: AgentCall): Agent {
  return { name, ...setups[name](call) };
}

const setups: Record<AgentName, (call: AgentCall) => Omit<Agent, "name">> = {
  "Claude Code": ({ url, key, model }) => ({
    variables: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      // It names conversations by a small model of its own.
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      // Its /model lists our models that have Claude's name (shared/books/catalog/pickers.md).
      CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: "1",
    },
    command: "claude",
  }),
  // shared/calls/protocols/bedrock-clients.md "Settings".
  "Claude Code, Bedrock": ({ url, key, model }) => ({
    variables: {
      CLAUDE_CODE_USE_BEDROCK: "1",
      ANTHROPIC_BEDROCK_BASE_URL: url,
      AWS_BEARER_TOKEN_BEDROCK: key,
      AWS_REGION: "us-east-1",
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    },
    command: "claude",
  }),
  Codex: ({ url, key, model }) => ({
    variables: { [keyVariable]: key },
    file: { path: ".codex/config.toml", text: codexSettings(url, model) },
    command: "codex",
  }),
  "Gemini CLI": ({ url, key, model }) => ({
    variables: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url },
    command: `gemini -m ${model}`,
  }),
  opencode: ({ url, key, model }) => ({
    variables: { [keyVariable]: key },
    file: { path: ".config/opencode/opencode.json", text: opencodeSettings(url, model) },
    command: `opencode -m gateway/${model}`,
  }),
  "Cline, Roo Code": ({ url, key, model }) => ({
    fields: {
      "API Provider": "OpenAI Compatible",
      "Base URL": `${url}/v1`,
      "API Key": key,
      "Model ID": model,
      "Custom Headers": linesOf(fitting),
    },
  }),
  aider: ({ url, key, model }) => ({
    variables: { OPENAI_API_BASE: `${url}/v1`, OPENAI_API_KEY: key },
    command: `aider --model openai/${model}`,
  }),
  Cursor: ({ url, key, model }) => ({
    fields: { "Override OpenAI Base URL": `${url}/v1`, "OpenAI API Key": key, "Add Custom Model": model },
  }),
  LangChain: ({ url, model }) => ({
    python: [
      "import os",
      "from langchain_openai import ChatOpenAI",
      `client = ChatOpenAI(base_url="${url}/v1", api_key=os.environ["${keyVariable}"], model=${JSON.stringify(model)})`,
      'print(client.invoke("Say hello.").content)',
    ].join("\n"),
  }),
};

/** A model may take other fields than the program sends: ours are made to fit it. */
const fitting = { "x-gateway-adapt": "1" };

/** How Codex gets a key: from its environment. */
const fromVariable = [`env_key = "${keyVariable}"`];

/** Codex always offers a search of the web, which only some providers can run. `keyed` says how it gets a key. */
function codexSettings(url: string, model: string, keyed = fromVariable): string {
  return [
    `model = ${JSON.stringify(model)}`,
    'model_provider = "gateway"',
    "",
    "[model_providers.gateway]",
    'name = "Gateway"',
    `base_url = "${url}/v1"`,
    'wire_api = "responses"',
    'http_headers = { "x-gateway-allow-drop" = "tools" }',
    ...keyed,
  ].join("\n");
}

/** Where the lines for a terminal keep the program that signs in (terminal/README.md). */
const program = "~/gateway.mjs";

/** The lines that fetch the program from this console and sign in. */
export function signInLines(console: string): string {
  return [`curl -fsSo ${program} ${console}/gateway.mjs`, `node ${program} login ${console}`].join("\n");
}

/** The agents that ask a command for a key, each with its settings for the program. `home` is the person's folder. */
export const helpedAgents = {
  "Claude Code": ({ url, model }: Omit<AgentCall, "key">, home = "$HOME") => ({
    path: ".claude/settings.json",
    text: JSON.stringify(
      {
        apiKeyHelper: `node "${home}/gateway.mjs" key`,
        model,
        env: {
          ANTHROPIC_BASE_URL: url,
          ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
          CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY: "1",
        },
      },
      undefined,
      2,
    ),
  }),
  // Codex starts the command without a shell, so that a shell has to find the home.
  Codex: ({ url, model }: Omit<AgentCall, "key">, home = "$HOME") => ({
    path: ".codex/config.toml",
    text: codexSettings(url, model, [
      "",
      "[model_providers.gateway.auth]",
      'command = "sh"',
      `args = ["-c", 'node "${home}/gateway.mjs" key']`,
    ]),
  }),
} as const satisfies Partial<
  Record<AgentName, (call: Omit<AgentCall, "key">, home?: string) => { path: string; text: string }>
>;

function opencodeSettings(url: string, model: string): string {
  const options = { baseURL: `${url}/v1`, apiKey: `{env:${keyVariable}}`, headers: fitting };
  const models = { [model]: { name: model } };
  const gateway = { npm: "@ai-sdk/openai-compatible", name: "Gateway", options, models };
  return JSON.stringify({ provider: { gateway } }, undefined, 2);
}

/** One block of text to copy: where it belongs, and what it says. */
interface AgentBlock {
  /** The path of a file, or undefined for lines of a shell. */
  file?: string;
  language: "sh" | "toml" | "json" | "text" | "py";
  text: string;
}

/** An agent's lines in the order in which they are used. */
export function agentBlocks({ variables, file, command, fields, python }: Agent): AgentBlock[] {
  const exported = Object.entries(variables ?? {}).map(([name, value]) => `export ${name}=${value}`);
  const shell = [...exported, ...(command === undefined ? [] : [command])].join("\n");
  const blocks: (AgentBlock | false | "" | undefined)[] = [
    file && {
      file: `~/${file.path}`,
      language: file.path.endsWith("toml") ? "toml" : "json",
      text: file.text,
    },
    shell && { language: "sh", text: shell },
    fields && { language: "text", text: linesOf(fields) },
    python !== undefined && { language: "py", text: python },
  ];
  return blocks.filter((block) => typeof block === "object");
}

const linesOf = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");

/** Every agent at a gateway. `modelFor` gives the id of a model that the key may call. */
export function agentSetups(
  call: Pick<AgentCall, "url" | "key">,
  modelFor: (protocol: SdkProtocol) => string,
): Agent[] {
  return (Object.keys(agentProtocols) as AgentName[]).map((name) =>
    agentSetup(name, { ...call, model: modelFor(agentProtocols[name]) }),
  );
}
