/**
 * The coding agents that `npm run agents` plays with: how each is installed, and asked without a person. They are set up
 * with the lines that people are shown (console/agents.ts), and with those that keep them from calling home.
 */
import { agentSetup } from "../../console/agents.ts";

/** What one session of a program is given. */
interface Session {
  /** The gateway's address, without a path. */
  url: string;
  key: string;
  /** The id of the gateway's model. */
  model: string;
  home: string;
  work: string;
  prompt: string;
  /** Whether the program is to look at `picture.png` of the work folder. */
  hasPicture: boolean;
  /** The command of the MCP server with sixty tools, where the play wants it. */
  mcp: string[] | undefined;
}

/** How a session is started. */
export interface Start {
  args: string[];
  env: Record<string, string>;
  /** Files that are written before, by their paths below the home. */
  files?: Record<string, string>;
  stdin?: string;
}

export interface Program {
  name: string;
  registry: "npm" | "pip";
  package: string;
  version: string;
  /** The command that it installs. */
  bin: string;
  /** What it is called in `--only` and in the names of files. By default that is its command. */
  lane?: string;
  /** The path of the calls that are its turns. */
  turns: RegExp;
  /** The plays that it has no means for, the errors that nothing in an answer can end, and why. */
  not: Record<string, string>;
  /** Hosts that it asks for whatever its settings are, and does without. */
  asks?: readonly string[];
  start(session: Session): Start;
}

/** The words of Claude Code that ask without a person, and the variables that keep it from calling home. */
function claudeStart({ prompt, mcp }: Session, variables: Record<string, string>): Start {
  const allowed = ["Write", "Read", ...(mcp ? ["mcp__many"] : [])];
  const args = ["-p", "--permission-mode", "acceptEdits", "--allowedTools", ...allowed];
  const servers = mcp && { mcpServers: { many: { command: mcp[0], args: mcp.slice(1) } } };
  return {
    args: [...args, ...(servers ? ["--mcp-config", JSON.stringify(servers), "--strict-mcp-config"] : [])],
    // The prompt is read from standard input, where its length has no bound.
    stdin: prompt,
    env: { ...variables, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" },
  };
}

const claudeCode: Program = {
  name: "Claude Code",
  registry: "npm",
  package: "@anthropic-ai/claude-code",
  version: "2.1.332",
  bin: "claude",
  turns: /\/v1\/messages(?:\?|$)/,
  not: {},
  start: (session) => claudeStart(session, { ...agentSetup("Claude Code", session).variables }),
};

/** The same program, as it asks Amazon Bedrock. */
const claudeCodeBedrock: Program = {
  ...claudeCode,
  name: "Claude Code, Bedrock",
  lane: "claude-bedrock",
  turns: /\/model\/[^/]+\/invoke-with-response-stream$/,
  not: { unnamed: "the models that it has by itself are those of Bedrock" },
  start: (session) => claudeStart(session, { ...agentSetup("Claude Code, Bedrock", session).variables }),
};

const codex: Program = {
  name: "Codex",
  registry: "npm",
  package: "@openai/codex",
  version: "0.171.0",
  bin: "codex",
  turns: /\/v1\/responses(?:\?|$)/,
  not: {},
  start: (session) => {
    const { prompt, hasPicture, work, mcp } = session;
    const { variables, file } = agentSetup("Codex", session);
    const picture = hasPicture ? ["-i", `${work}/picture.png`] : [];
    const quiet = ["apps", "plugins", "remote_plugin"].map((name) => `${name} = false`);
    const settings = [
      "check_for_update_on_startup = false",
      file?.text,
      "[analytics]",
      "enabled = false",
      "[features]",
      ...quiet,
      ...(mcp
        ? [
            "[mcp_servers.many]",
            `command = ${JSON.stringify(mcp[0])}`,
            `args = ${JSON.stringify(mcp.slice(1))}`,
          ]
        : []),
    ];
    return {
      args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", ...picture, "-"],
      stdin: prompt,
      env: { ...variables },
      files: { [file?.path ?? ""]: settings.join("\n") },
    };
  },
};

const geminiCli: Program = {
  name: "Gemini CLI",
  registry: "npm",
  package: "@google/gemini-cli",
  version: "0.61.0",
  bin: "gemini",
  turns: /:streamGenerateContent/,
  not: {},
  start: (session) => {
    const { model, prompt, hasPicture, mcp } = session;
    return {
      args: ["--yolo", "--skip-trust", "-m", model, ...(hasPicture ? ["-p", "@picture.png"] : [])],
      stdin: prompt,
      env: { ...agentSetup("Gemini CLI", session).variables, GEMINI_TELEMETRY_ENABLED: "false" },
      files: {
        ".gemini/settings.json": JSON.stringify({
          security: { auth: { selectedType: "gemini-api-key" } },
          privacy: { usageStatisticsEnabled: false },
          general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
          ...(mcp && { mcpServers: { many: { command: mcp[0], args: mcp.slice(1), trust: true } } }),
        }),
      },
    };
  },
};

const opencode: Program = {
  name: "opencode",
  registry: "npm",
  package: "opencode-ai",
  version: "1.18.33",
  bin: "opencode",
  // It installs the package of its plugins beside its settings.
  asks: ["registry.npmjs.org"],
  turns: /\/chat\/completions$/,
  not: { "quota used up": "it asks again after every 429, whatever the answer says" },
  start: (session) => {
    const { model, prompt, hasPicture, mcp } = session;
    const { variables, file } = agentSetup("opencode", session);
    const settings = JSON.parse(file?.text ?? "{}") as OpencodeSettings;
    // A model that its own list does not know takes no pictures until this is said.
    Object.assign(settings.provider.gateway.models[model] ?? {}, {
      attachment: true,
      modalities: { input: ["text", "image"], output: ["text"] },
    });
    const own = {
      ...settings,
      autoupdate: false,
      share: "disabled",
      permission: { edit: "allow", bash: "allow", external_directory: "allow" },
      ...(mcp && { mcp: { many: { type: "local", command: mcp, enabled: true } } }),
    };
    return {
      args: ["run", "-m", `gateway/${model}`, ...(hasPicture ? ["-f", "picture.png"] : [])],
      stdin: prompt,
      env: {
        ...variables,
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      },
      files: { [file?.path ?? ""]: JSON.stringify(own) },
    };
  },
};

/** What is changed of its settings. */
interface OpencodeSettings {
  provider: { gateway: { models: Record<string, object> } };
}

const asksForAMinute = "it asks again for a minute, unless an answer has OpenRouter's words and code";

const aider: Program = {
  name: "aider",
  registry: "pip",
  package: "aider-chat",
  version: "0.86.2",
  bin: "aider",
  // A list of models' prices.
  asks: ["raw.githubusercontent.com"],
  turns: /\/chat\/completions$/,
  not: {
    picture: "it shows pictures to models that its own list has with vision",
    "sixty-tools": "it has no tools",
    "ten-turns": "one message is one turn",
    "out of balance": asksForAMinute,
    "quota used up": asksForAMinute,
  },
  start: (session) => {
    const { model, prompt, hasPicture, work } = session;
    return {
      args: [
        ...["--model", `openai/${model}`, "--edit-format", "diff", "--message-file", `${work}/prompt.txt`],
        ...[
          "--yes-always",
          "--no-git",
          "--analytics-disable",
          "--no-check-update",
          "--no-show-release-notes",
        ],
        ...["--no-show-model-warnings", "--no-detect-urls", "--no-pretty", "--map-tokens", "0"],
        ...(hasPicture ? ["picture.png"] : []),
      ],
      env: {
        ...agentSetup("aider", session).variables,
        LITELLM_LOCAL_MODEL_COST_MAP: "True",
        LITELLM_TELEMETRY: "False",
      },
      files: { "../work/prompt.txt": prompt },
    };
  },
};

/** In the order of the table that a run writes. */
export const programs: readonly Program[] = [
  claudeCode,
  claudeCodeBedrock,
  codex,
  geminiCli,
  opencode,
  aider,
];

/** What a program is called in `--only` and in the names of files. */
export function laneOf({ lane, bin }: Program): string {
  return lane ?? bin;
}
