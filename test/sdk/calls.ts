/** What the vendors' SDKs can ask for: read from the JavaScript packages that are installed, else listed here. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A call as an SDK sends it, behind the base URL it is given. Parameters are `x1`. */
export interface SdkCall {
  method: string;
  /** With the version, where the SDK adds it. */
  path: string;
}

const packages = join(import.meta.dirname, "../../node_modules");
const verbs: Record<string, string> = {
  get: "GET",
  post: "POST",
  put: "PUT",
  patch: "PATCH",
  delete: "DELETE",
};

/** The calls of a package that Stainless generated, such as `openai`. Throws when a call of it cannot be read. */
export function stainlessCalls(name: string): SdkCall[] {
  const folder = join(packages, name, "resources");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".mjs"),
  );
  return distinct(files.flatMap((file) => callsIn(readFileSync(join(folder, file), "utf8"), file)));
}

function callsIn(source: string, file: string): SdkCall[] {
  const pieces = source.split(/\b_client\.(?=(?:get|post|put|patch|delete|getAPIList)\()/).slice(1);
  return pieces.map((piece) => {
    const [, verb = "", template] = /^(\w+)\((?:path ?)?[`'"](\/[^`'"]*)[`'"]/.exec(piece) ?? [];
    if (!template) throw new Error(`${file}: a call that this test cannot read: ${piece.slice(0, 80)}`);
    const listed = /method: '(\w+)'/.exec(piece)?.[1] ?? "get";
    const method = verbs[verb === "getAPIList" ? listed : verb] ?? "";
    return { method, path: template.replace(/\$\{[^}]*\}/g, "x1").replace(/\?.*/, "") };
  });
}

/** The calls of AWS's SDK to `bedrock-runtime`. */
export function bedrockCalls(): SdkCall[] {
  const folder = join(packages, "@aws-sdk/client-bedrock-runtime/dist-es/schemas");
  const source = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
  const found = [...source.matchAll(/"(GET|POST|PUT|PATCH|DELETE)", "(\/[^"]*)"/g)];
  return distinct(
    found.map(([, method = "", path = ""]) => ({ method, path: path.replace(/\{\w+\}/g, "x1") })),
  );
}

/** Whose resource a bare `{name}` of Google's SDK is, by the class that sends it. */
const googleNames: Record<string, string> = {
  Caches: "cachedContents/x1",
  Documents: "fileSearchStores/x1/documents/x1",
  FileSearchStores: "fileSearchStores/x1",
  Models: "models/x1",
  Operations: "models/x1/operations/x1",
  Tunings: "tuningJobs/x1",
};

/** The calls of a version of `@google/genai` to the Gemini API, without those to Vertex AI. Throws as above. */
export function googleCalls(name: string): SdkCall[] {
  const source = readFileSync(join(packages, name, "dist/node/index.mjs"), "utf8");
  const found: SdkCall[] = [];
  for (const hit of source.matchAll(/formatMap\('([^']+)'/g)) {
    const before = source.slice(Math.max(0, hit.index - 4_000), hit.index);
    if (before.lastIndexOf("isVertexAI()) {") > before.lastIndexOf("else {")) continue;
    const method = /httpMethod: '(\w+)'/.exec(source.slice(hit.index))?.[1] ?? "";
    found.push({ method, path: googlePath(hit[1] ?? "", ownerOf(source, hit.index)) });
  }
  for (const hit of source.matchAll(/pathToFunc\("([^"]+)"\)/g)) {
    const method = /method: "(\w+)"/.exec(source.slice(hit.index))?.[1] ?? "";
    found.push({ method, path: (hit[1] ?? "").replace(/\{(?!api_version)\w+\}/g, "x1") });
  }
  // The sockets of live sessions, and a download, are not sent by either.
  for (const socket of ["BidiGenerateContent", "BidiGenerateMusic"]) {
    found.push({
      method: "GET",
      path: `/ws/google.ai.generativelanguage.{api_version}.GenerativeService.${socket}`,
    });
  }
  return distinct([...found, { method: "GET", path: "/{api_version}/files/x1:download" }]);
}

function ownerOf(source: string, index: number): string {
  const start = source.lastIndexOf("\nclass ", index);
  return /^\nclass (\w+)/.exec(source.slice(start))?.[1] ?? "";
}

function googlePath(template: string, owner: string): string {
  const name = googleNames[owner];
  if (!name && /\{(?:name|operationName|parent)\}/.test(template.replace("batches/{name}", "")))
    throw new Error(`@google/genai: nobody knows what \`${template}\` of ${owner} stands for`);
  const path = template
    .replace("batches/{name}", "batches/x1")
    .replace("{models_url}", "models")
    .replace("{model}", "models/x1")
    .replace("{file_search_store_name}", "fileSearchStores/x1")
    .replace("{parent}", "fileSearchStores/x1")
    .replace(/\{(?:name|operationName)\}/, name ?? "")
    .replace(/\{(?!api_version)\w+\}/g, "x1")
    .replace(/\?.*/, "");
  return path.startsWith("upload/") ? `/${path}` : `/{api_version}/${path}`;
}

function distinct(calls: SdkCall[]): SdkCall[] {
  const known = new Map(calls.map((call) => [`${call.path} ${call.method}`, call]));
  return [...known].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, call]) => call);
}

const listed = (text: string): SdkCall[] =>
  distinct(
    text
      .trim()
      .split("\n")
      .map((line) => {
        const [method = "", path = ""] = line.trim().split(" ");
        return { method, path };
      }),
  );

/**
 * Volcengine's Ark for Python: `volcengine-ark-runtime` 5.0.54 and `arkruntime` 0.17.0. There is none for JavaScript.
 */
export const arkCalls: readonly SdkCall[] = listed(`
  POST /chat/completions
  POST /batch/chat/completions
  POST /bots/chat/completions
  POST /classification
  POST /contents/generations/tasks
  GET /contents/generations/tasks
  GET /contents/generations/tasks/x1
  DELETE /contents/generations/tasks/x1
  POST /context/create
  POST /context/chat/completions
  POST /embeddings
  POST /embeddings/multimodal
  POST /batch/embeddings
  POST /batch/embeddings/multimodal
  POST /files
  GET /files
  GET /files/x1
  DELETE /files/x1
  POST /images/generations
  POST /responses
  GET /responses/x1
  DELETE /responses/x1
  GET /responses/x1/input_items
  POST /tokenization
  POST /agents
  GET /agents/x1
  POST /checkpoints
  GET /checkpoints/x1
  POST /environments
  POST /memory_stores
  POST /sessions
  GET /sessions/x1/events
  POST /skills
  POST /vaults
  GET /models
  GET /models/x1
`);

/** Zhipu for Python: `zai-sdk` 0.2.3, whose calls `zhipuai` and `zhipu-ai-provider` share. */
export const zhipuCalls: readonly SdkCall[] = listed(`
  POST /chat/completions
  POST /async/chat/completions
  POST /async/images/generations
  GET /async-result/x1
  POST /assistant
  POST /assistant/list
  POST /assistant/conversation/list
  POST /audio/customization
  POST /audio/speech
  POST /audio/transcriptions
  POST /batches
  GET /batches
  GET /batches/x1
  POST /batches/x1/cancel
  POST /embeddings
  POST /files
  GET /files
  DELETE /files/x1
  GET /files/x1/content
  POST /files/ocr
  POST /files/parser/create
  POST /files/parser/sync
  GET /files/parser/result/x1/text
  POST /images/generations
  POST /layout_parsing
  POST /moderations
  POST /reader
  POST /tools
  POST /v1/agents
  POST /v1/agents/async-result
  POST /videos/generations
  POST /voice/clone
  POST /voice/delete
  GET /voice/list
  POST /web_search
  GET /models
  GET /models/x1
`);
