/** One session: a program with a home and a folder of its own, in front of the gateway, until it ends by itself. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Passed, startFront } from "../sdk/front.ts";
import { startRefusingProxy } from "./outside.ts";
import type { Program } from "./programs.ts";
import { promptOf } from "./script.ts";

/** What a session came to. */
export interface Played {
  /** The folder that its prompt named; it is gone unless `read` was told to look into it. */
  folder: string;
  passed: Passed[];
  /** What the program printed, both streams. */
  printed: string;
  /** Its exit code; null where a signal ended it. */
  code: number | null;
  seconds: number;
  /** When it ended, in milliseconds of `performance.now()`. */
  endedAt: number;
  /** Hosts beyond loopback that it wanted to reach. */
  outside: string[];
  /** Whether it was ended because it did not end by itself. */
  hung: boolean;
}

interface Wanted {
  play: string;
  url: string;
  key: string;
  model: string;
  /** Stands in the prompt before the play. */
  before?: string;
  /** After how many milliseconds the program is killed. */
  maxMs: number;
  /** Interrupts the program after so many milliseconds from its first turn on. */
  interruptMs?: number;
}

/** What is kept of what a program prints, in characters. */
const printedMax = 200_000;

/** One pixel. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
export const pictureText = picture.toString("base64");

/** Runs a session. `look` is given its work folder before it is removed. */
export async function playSession<Seen>(
  program: Program,
  command: string,
  wanted: Wanted,
  look: (work: string) => Seen,
): Promise<Played & { seen: Seen }> {
  const root = mkdtempSync(join(tmpdir(), "agent-"));
  const [home, work] = [join(root, "home"), join(root, "work")];
  for (const folder of [home, work]) mkdirSync(folder);
  writeFileSync(join(work, "picture.png"), picture);
  const front = await startFront(wanted.url, () => false);
  const proxy = await startRefusingProxy();
  try {
    const { args, env, files, stdin } = program.start({
      url: front.url,
      key: wanted.key,
      model: wanted.model,
      home,
      work,
      prompt: `${wanted.before ?? ""}${promptOf(wanted.play, work)}`,
      hasPicture: wanted.play === "picture",
      mcp: wanted.play === "sixty-tools" ? [process.execPath, mcpServer] : undefined,
    });
    for (const [path, text] of Object.entries(files ?? {})) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    const child = spawn(command, args, {
      cwd: work,
      env: { ...surroundings(home, proxy.url), ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.on("error", () => {});
    child.stdin.end(stdin ?? "");
    const ran = await follow(child, wanted, () => front.count() > 0);
    return { folder: work, passed: front.passed, outside: proxy.asked(), ...ran, seen: look(work) };
  } finally {
    await front.stop();
    await proxy.stop();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

const mcpServer = join(import.meta.dirname, "mcp-many.mjs");

/** The environment of a session: nothing of the person's own, and no way out but loopback. */
function surroundings(home: string, proxy: string): Record<string, string> {
  return {
    PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ""}`,
    HOME: home,
    TMPDIR: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_CACHE_HOME: join(home, ".cache"),
    TERM: "dumb",
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    CI: "1",
    DO_NOT_TRACK: "1",
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: "127.0.0.1,localhost",
    http_proxy: proxy,
    https_proxy: proxy,
    no_proxy: "127.0.0.1,localhost",
  };
}

/** Waits for a program's end, interrupts it where the play says so, and kills it where it hangs. */
async function follow(child: ChildProcess, { maxMs, interruptMs }: Wanted, hasAsked: () => boolean) {
  const startedAt = performance.now();
  let printed = "";
  let hung = false;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (data) => (printed = (printed + String(data)).slice(-printedMax)));
  }
  const closed = once(child, "close");
  const timer = setTimeout(() => {
    hung = true;
    child.kill("SIGKILL");
  }, maxMs);
  let asking: NodeJS.Timeout | undefined;
  if (interruptMs !== undefined) {
    asking = setInterval(() => {
      if (!hasAsked()) return;
      clearInterval(asking);
      setTimeout(() => child.kill("SIGINT"), interruptMs);
    }, 50);
  }
  const [code] = (await closed) as [number | null];
  clearTimeout(timer);
  clearInterval(asking);
  const endedAt = performance.now();
  return { printed, code, seconds: (endedAt - startedAt) / 1000, endedAt, hung };
}
