/**
 * `npm start`: the gateway on this machine, from the stack that deploys (design §6). It prints what it
 * does, then how to call it, and runs until it is told to stop.
 */
import { join } from "node:path";
import { styleText } from "node:util";
import { attachGateway, type Gateway, type Observer, startGateway } from "./gateway.ts";
import { removeReadyFile, writePrivately } from "./ready-file.ts";
import { readSettings, type Settings } from "./settings.ts";

/** Where `operator --local` looks. */
const knownReadyFile = join(import.meta.dirname, "../../.local/ready.json");

/** After which an exit no longer waits for anything. */
const exitMs = 1_800;

const parts = new AsyncDisposableStack();
const startedAt = performance.now();

const describe = (error: unknown) => (error instanceof Error ? error.message : String(error));

const observer: Observer = {
  step: (text) => console.log(`${styleText("green", "✓")} ${text} ${styleText("dim", elapsed())}`),
  warn: (error) => console.error(styleText("yellow", describe(error))),
  lost: (error) => void fail(error),
};

function elapsed(): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}

async function fail(error: unknown): Promise<void> {
  console.error(styleText("red", describe(error)));
  await exit(1);
}

let exiting = false;

/** Ends all parts, and the process whatever they do: the database ends with it in any case. */
async function exit(code: number): Promise<void> {
  if (exiting) return;
  exiting = true;
  setTimeout(() => process.exit(code), exitMs);
  await parts.disposeAsync().catch(observer.warn);
  process.exit(code);
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void exit(0));

/** Under `npm start`, npm's own death is not told to its child, which then would stay behind. */
function endWithNpm(): void {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void exit(0);
  }, 500).unref();
}

/** Tells the ready files; the known one last, since it may be somebody else's next. */
function publish(
  files: string[],
  { url, endpoints, demo }: Pick<Gateway, "url" | "endpoints" | "demo">,
): void {
  for (const file of files) {
    writePrivately(file, { url, ...demo, endpoints });
    parts.defer(() => removeReadyFile(file, url));
  }
}

async function start(settings: Settings): Promise<void> {
  const own = settings.readyFile ? [settings.readyFile] : [];
  if (settings.attachTo) {
    const gateway = await attachGateway(settings.attachTo, settings.port, parts, observer);
    publish(own, gateway);
    observer.step(`another gateway at ${gateway.url}`);
    return;
  }
  const gateway = await startGateway(settings, parts, observer);
  publish([...own, knownReadyFile], gateway);
  observer.step(`gateway at ${gateway.url}`);
  console.log(welcome(gateway));
}

/** How to use what runs now: base URLs, keys, and commands that work when pasted. */
function welcome({ url, demo, catalog, played }: Gateway): string {
  const heading = (text: string) => `\n${styleText("bold", text)}\n`;
  const keys = Object.entries(demo.keys).map(([name, key]) => `  ${name.padEnd(13)} ${key}`);
  const authorization = `-H 'authorization: Bearer ${demo.keys.payg}'`;
  const spoken = (provider: string) => catalog.providers[provider]?.protocols.openai !== undefined;
  const models = catalog.models.filter(({ channels }) => channels.some(({ provider }) => spoken(provider)));
  const model = models.find(({ capabilities }) => capabilities.includes("stream"))?.id;
  const call = { model, stream: true, messages: [{ role: "user", content: "Hello!" }] };
  return [
    heading("Base URLs"),
    `  OpenAI SDK    ${url}/v1\n  Anthropic SDK ${url}\n`,
    heading("Demo keys"),
    `${keys.join("\n")}\n`,
    heading("Stream a call, then read what it cost"),
    `  curl -N ${url}/v1/chat/completions ${authorization} -H 'content-type: application/json' -d '${JSON.stringify(call)}'\n`,
    `  curl ${url}/api/business/v1/customer/balance ${authorization}\n`,
    played.length > 0 ? `\nPlayed by the demo provider: ${played.join(", ")}\n` : "",
  ].join("");
}

endWithNpm();
try {
  await start(readSettings(process.argv.slice(2), process.env));
} catch (error) {
  await fail(error);
}
