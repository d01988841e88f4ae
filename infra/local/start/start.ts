/** `npm start`: the gateway on this machine, from the stack that deploys (design §6), until it is told to stop. */
import { rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { styleText } from "node:util";
import { removeReadyFile, writePrivately, writeTextPrivately } from "../stack/ready-file.ts";
import type { Gateway } from "./gateway.ts";
import { removeAtEnd } from "./leftovers.ts";
import { holdPort, readyFilesOf } from "./neighbours.ts";
import type { Observer } from "./observer.ts";
import { asksForHelp, help, readSettings, type StartSettings } from "./settings.ts";
import { snippetPage } from "./snippets.ts";
import { welcome } from "./welcome.ts";

/** The ready file that `operator --local` reads. */
const knownReadyFile = join(import.meta.dirname, "../../../.local/ready.json");

/** A longer step is announced when it begins and when it is done. */
const slowMs = 500;

/** After this time an exit waits for nothing more. */
const exitMs = 1_800;

const parts = new AsyncDisposableStack();
const startedAt = performance.now();

const describe = (error: unknown) => (error instanceof Error ? error.message : String(error));

let slowNotice: NodeJS.Timeout | undefined;
let begunAt = startedAt;

const observer: Observer = {
  begin(text) {
    begunAt = performance.now();
    slowNotice = setTimeout(() => console.log(styleText("dim", `  ${text} …`)), slowMs);
  },
  done(text) {
    clearTimeout(slowNotice);
    if (performance.now() - begunAt >= slowMs) tell(`${text} ${styleText("dim", secondsSince(begunAt))}`);
  },
  note: (text) => console.log(styleText("cyan", text)),
  warn: (error) => console.error(styleText("yellow", describe(error))),
  lost: (error) => void fail(error),
};

function tell(text: string): void {
  console.log(`${styleText("green", "✓")} ${text}`);
}

function secondsSince(instant: number): string {
  return `${((performance.now() - instant) / 1000).toFixed(1)} s`;
}

let exiting = false;

async function fail(error: unknown): Promise<void> {
  // What is ended cannot be finished.
  if (exiting) return;
  console.error(styleText("red", describe(error)));
  await exit(1);
}

/** Ends all parts, and then the process even if one does not end. What was written goes at its exit (leftovers.ts). */
async function exit(code: number): Promise<void> {
  if (exiting) return;
  exiting = true;
  setTimeout(() => process.exit(code), exitMs);
  await parts.disposeAsync().catch(observer.warn);
  process.exit(code);
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void exit(0));
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // Whoever reads what is printed here, such as `head`, has gone.
    if (error.code === "EPIPE") void exit(0);
    // The disk may be full, for example. That ends no call.
    else if (stream === process.stdout) observer.warn(error);
  });
}

/** Ends this process when npm is gone: npm does not tell its child, which would stay behind. */
function endWithNpm(): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) void exit(0);
  }, 500).unref();
}

/** Names the ready files. The operator's comes last, because the next gateway may take it. */
function publish(
  files: string[],
  { url, endpoints, demo }: Pick<Gateway, "url" | "endpoints" | "demo">,
  console_url?: string,
): void {
  for (const file of files) {
    writePrivately(file, { url, ...(console_url && { console_url }), pid: process.pid, ...demo, endpoints });
    removeAtEnd(() => removeReadyFile(file, url), parts);
  }
}

/**
 * Waits for a start. From then on the process, and the calls in it, stay alive when something is thrown outside of a
 * call. With `--isolated` they do not: the gateway then has a thread of its own, and nothing on this one should throw.
 */
async function survive<Started>(isolated: boolean, starting: Promise<Started>): Promise<Started> {
  const started = await starting;
  if (isolated) return started;
  for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, observer.warn);
  return started;
}

async function start(settings: StartSettings): Promise<void> {
  const release = await holdPort(settings.port, knownReadyFile);
  const { attachTo, isolated } = settings;
  const place = { ...settings, release };
  // Modules are loaded only now, so that a wrong setting is refused at once.
  if (attachTo) {
    const { attachGateway } = await import("./gateway.ts");
    const gateway = await survive(isolated, attachGateway(attachTo, place, parts, observer));
    publish(settings.readyFile ? [settings.readyFile] : [], gateway);
    tell(`another gateway runs at ${gateway.url}`);
    return;
  }
  // The stack is built while the other modules load.
  const { beginStack } = await import("./begun-stack.ts");
  const begun = beginStack(settings, parts);
  const { startGateway } = await import("./gateway.ts");
  const gateway = await survive(isolated, startGateway(place, begun, parts, observer));
  const { files, isKnown } = await readyFilesOf(settings.readyFile, knownReadyFile, gateway.url);
  const [file] = files;
  const page = pageBeside(file);
  writeTextPrivately(page, snippetPage(gateway));
  removeAtEnd(() => rmSync(page, { force: true }), parts);
  publish(files, gateway, gateway.endpoints.console);
  tell(`the gateway runs at ${gateway.url} ${styleText("dim", secondsSince(startedAt))}. Ctrl-C ends it.`);
  const shown = (path: string) => relative(process.cwd(), path);
  console.log(welcome(gateway, { snippets: shown(page), readyFile: { path: shown(file), isKnown } }));
}

/** `ready.json` has its page in `snippets.md`, in the same folder. */
function pageBeside(readyFile: string): string {
  const name = basename(readyFile).replace(/\.json$/, "");
  const page = name.includes("ready") ? name.replace("ready", "snippets") : `${name}-snippets`;
  return join(dirname(readyFile), `${page}.md`);
}

const argv = process.argv.slice(2);
if (asksForHelp(argv)) console.log(help());
else {
  endWithNpm();
  await Promise.try(() => start(readSettings(argv, process.env))).catch(fail);
}
