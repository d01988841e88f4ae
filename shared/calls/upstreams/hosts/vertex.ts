/**
 * Google's Vertex AI. The base URL ends with the project and the location: `…/v1/projects/P/locations/global`. Gemini is
 * called as at its maker, at another path. Anthropic's models are called by `rawPredict` (Google, "Request predictions
 * with Claude models"): the model stands in the path, and the version of Anthropic's API in the body. Vectors have forms of
 * their own there (`parts/`).
 */
import { editMembers, takeOut } from "../../../base/json/edit.ts";
import { betasOf, takenBetas } from "./betas.ts";
import { jsonOf, objectOf, withMoved } from "./body.ts";
import type { CloudHost, HostedRequest } from "./host.ts";

export const vertex: CloudHost = {
  request(asked, { protocol, model, stream }) {
    if (!protocol.startsWith("anthropic")) return gemini(asked, protocol);
    const { "anthropic-version": version = "", "anthropic-beta": beta, ...headers } = asked.headers;
    const added = { anthropic_version: versions.get(version) ?? version };
    // The body of a count names the model: all models are counted at one path.
    const isCount = protocol === "anthropic-count";
    const name = isCount ? "count-tokens" : encodeURIComponent(model);
    const method = stream ? "streamRawPredict" : "rawPredict";
    // A count takes no beta at all (anthropics/claude-code#11154).
    const { taken, isWhole } = takenBetas(isCount ? undefined : beta, betas);
    return {
      path: `/publishers/anthropic/models/${name}:${method}`,
      headers: { ...headers, ...(taken.length > 0 && { "anthropic-beta": taken.join(",") }) },
      body: [withMoved(objectOf(asked.body), isCount ? [] : ["model"], added)],
      ...(!isWhole && { dropped: ["anthropic-beta"] }),
    };
  },
  parts(asked, call) {
    const [, action] = /:(embedContent|batchEmbedContents)$/.exec(asked.path) ?? [];
    if (action === undefined) return undefined;
    return import("./parts/vertex-vectors.ts").then(({ vectorParts }) =>
      vectorParts(asked, { request: jsonOf(asked.body), isBatch: action !== "embedContent" }, call),
    );
  },
};

/**
 * The betas that Vertex AI takes, as LiteLLM 1.110.2 lists them. `effort-2025-11-24` is left out: some models refuse it
 * (can1357/oh-my-pi#5614), and those that are sold there have the effort without it.
 */
const betas = betasOf(
  [
    "afk-mode-2026-01-31",
    "compact-2026-01-12",
    "computer-use-2025-01-24",
    "computer-use-2025-11-24",
    "context-1m-2025-08-07",
    "context-management-2025-06-27",
    "dangerous-tool-use-2026-09-03",
    "fallback-credit-2026-06-01",
    "fine-grained-tool-streaming-2025-05-14",
    "inline-tools-2026-09-15",
    "interleaved-thinking-2025-05-14",
    "mid-conversation-output-config-2026-07-01",
    "mid-conversation-system-clear-at-2026-08-21",
    "mid-conversation-tool-changes-2026-07-01",
    "model-context-window-exceeded-2025-08-26",
    "output-128k-2025-02-19",
    "pdfs-2024-09-25",
    "per-turn-control-2026-07-01",
    "server-side-fallback-2026-06-01",
    "structured-outputs-2025-11-13",
    "structured-outputs-2025-12-15",
    "task-budgets-2026-03-13",
    "thinking-binding-controls-2026-08-01",
    "thinking-display-updates-2026-08-18",
    "thinking-token-count-2026-05-13",
    "token-counting-2024-11-01",
    "token-efficient-tools-2025-02-19",
    "tool-examples-2025-10-29",
    "tool-search-tool-2025-10-19",
    "web-search-2025-03-05",
  ],
  { "advanced-tool-use-2025-11-20": "tool-search-tool-2025-10-19" },
);

/** Versions that Vertex AI has another name for. Later ones keep theirs, as in Anthropic's SDK for Vertex AI (1.1). */
const versions: ReadonlyMap<string, string> = new Map([["2023-06-01", "vertex-2023-10-16"]]);

/** The header that asks for a tier (Google, "Priority PayGo" and "Flex PayGo"). */
const tierHeader = "x-vertex-ai-llm-shared-request-type";

/** A call of Gemini's protocol. The path names the model and a header the tier, and the body neither. */
function gemini({ path, headers, body }: HostedRequest, protocol: string): HostedRequest {
  const object = objectOf(body);
  let tier: string | undefined;
  const moved = (value: Buffer): undefined => {
    tier = tierOf(value);
  };
  const edits = { model: takeOut, serviceTier: moved, service_tier: moved };
  const edited = editMembers(protocol === "gemini-count" ? counted(object) : object, edits);
  return {
    path: path.replace(/^\/v1beta\//, "/publishers/google/"),
    headers: tier === undefined ? headers : { ...headers, [tierHeader]: tier },
    body: [edited],
  };
}

/** The tier that a request names, as the header has it; undefined for the standard one, which is asked for by nothing. */
function tierOf(value: Buffer): string | undefined {
  const name = value.toString("utf8").toLowerCase();
  return /^"(?:service_tier_)?(priority|flex)"$/.exec(name)?.[1];
}

/** The request whose tokens are counted. Vertex AI takes its members where others have it in one of its own. */
function counted(object: Buffer): Buffer {
  let whole: Buffer | undefined;
  const found = (value: Buffer): Buffer => {
    whole = value;
    return value;
  };
  editMembers(object, { generateContentRequest: found, generate_content_request: found });
  return whole ?? object;
}
