/**
 * Google's Vertex AI. The base URL ends with the project and the location: `…/v1/projects/P/locations/global`. Gemini is
 * called as at its maker, at another path. Anthropic's models are called by `rawPredict` (Google, "Request predictions
 * with Claude models"): the model stands in the path, and the version of Anthropic's API in the body. Vectors have forms of
 * their own there (`parts/`).
 */
import { editMembers, takeOut } from "../../../base/json/edit.ts";
import { jsonOf, objectOf, withMoved } from "./body.ts";
import type { CloudHost, HostedRequest } from "./host.ts";

export const vertex: CloudHost = {
  request(asked, { protocol, model, stream }) {
    if (!protocol.startsWith("anthropic")) return gemini(asked, protocol);
    const { "anthropic-version": version = "", ...headers } = asked.headers;
    const added = { anthropic_version: versions.get(version) ?? version };
    // The body of a count names the model: all models are counted at one path.
    const isCount = protocol === "anthropic-count";
    const name = isCount ? "count-tokens" : encodeURIComponent(model);
    const method = stream ? "streamRawPredict" : "rawPredict";
    return {
      path: `/publishers/anthropic/models/${name}:${method}`,
      headers,
      body: [withMoved(objectOf(asked.body), isCount ? [] : ["model"], added)],
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

/** Versions that Vertex AI has another name for. Later ones keep theirs, as in Anthropic's SDK for Vertex AI (1.1). */
const versions: ReadonlyMap<string, string> = new Map([["2023-06-01", "vertex-2023-10-16"]]);

/** A call of Gemini's protocol. The path names the model, and the body does not. */
function gemini({ path, headers, body }: HostedRequest, protocol: string): HostedRequest {
  const object = objectOf(body);
  return {
    path: path.replace(/^\/v1beta\//, "/publishers/google/"),
    headers,
    body: [editMembers(protocol === "gemini-count" ? counted(object) : object, { model: takeOut })],
  };
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
