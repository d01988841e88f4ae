/** A process of its own that makes calls, and tells which parts of the clouds' code it has loaded before and in each. */
import { type LoadHookContext, registerHooks } from "node:module";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
/**
 * Those of calls to clouds. What is left out tells whether there is a cloud and by which words it names tiers, or is for
 * clients that speak Bedrock's form.
 */
const cloudParts = [
  /^shared\/calls\/upstreams\/(?:hosts|credentials)\/(?!(?:index|host|send-as|credential)\.ts)/,
  /^shared\/calls\/protocols\/bedrock-converse\/(?!(?:index|ways)\.ts)/,
  /^shared\/base\/(?:sse\/event-stream|platform\/(?:kept-token|request-signature))/,
];

const loaded = new Set<string>();
registerHooks({
  load(url, context: LoadHookContext, next) {
    const file = url.startsWith("file:") ? relative(root, fileURLToPath(url)) : "";
    if (cloudParts.some((part) => part.test(file))) loaded.add(file);
    return next(url, context);
  },
});

const { createPipeline } = await import("#shared/calls/gateway/pipeline.ts");
const { call } = await import("#test/support/call.ts");
const { createMemory, testCatalog } = await import("#test/support/memory.ts");
const { startUpstream } = await import("#test/support/upstream.ts");

const upstream = await startUpstream();
const message = { role: "assistant", content: "Hi" };
const usage = { prompt_tokens: 1, completion_tokens: 1 };
upstream.json({ choices: [{ index: 0, message, finish_reason: "stop" }], usage });

/** Makes a call of a model at a provider, and gives its status with what was loaded until then, and not told yet. */
async function loadedBy(provider: object): Promise<{ status: number; files: string[] }> {
  const catalog = testCatalog(upstream.url) as { providers: { test: object } };
  const protocols = { openai: `${upstream.url}/v1` };
  catalog.providers.test = { protocols, ...provider };
  const memory = createMemory(catalog);
  const headers = { authorization: `Bearer ${memory.addKey()}` };
  const body = { model: "test/model-1", messages: [{ role: "user", content: "Hello" }] };
  const { status } = await call(createPipeline({} as never, memory.deps), "/v1/chat/completions", {
    headers,
    body,
  });
  const files = [...loaded].sort();
  loaded.clear();
  return { status, files };
}

const named = { auth: "bearer", secret: "TEST_API_KEY" };
const key = await loadedBy(named);
const role = await loadedBy({ auth: "aws_role" });
const azure = await loadedBy({ ...named, host: "azure" });
await upstream.stop();
console.log(JSON.stringify({ key, role, azure }));
process.exit();
