/**
 * Programs that are given the gateway's address and a key, and no model: each calls the one that it has by itself. With
 * the default catalog it is answered. Where a catalog lacks that model, its person reads which one, and soon.
 */
import type { LocalGateway } from "#test/support/local.ts";
import { lastLine, longestSeconds } from "./ends.ts";
import { programMs } from "./plays.ts";
import type { Program, Start } from "./programs.ts";
import type { Seen } from "./results.ts";
import { lastWords } from "./script.ts";
import { type Played, playSession } from "./session.ts";
import type { World } from "./world.ts";

/** The heading of the table. */
export const unnamedTitle = "no model named";

/** Its columns. */
const catalogs = ["the default catalog", "a catalog without the program's models"] as const;

/** What a program is started with, without the words that name a model. */
const bare: Record<string, (start: Start) => Start> = {
  claude: ({ env, ...start }) => {
    const kept = Object.entries(env).filter(([name]) => !/_MODEL(?:_DISCOVERY)?$/.test(name));
    return { ...start, env: Object.fromEntries(kept) };
  },
  codex: (start) => ({ ...start, files: eachFile(start, (text) => text.replace(/^model = .*$/m, "")) }),
  gemini: (start) => ({ ...start, args: without(start.args, "-m") }),
  // Its own provider of Anthropic's models, at another address.
  opencode: (start) => {
    const files = eachFile(start, (text) => {
      const { provider, ...rest } = JSON.parse(text) as { provider: { gateway: { options: object } } };
      return JSON.stringify({ ...rest, provider: { anthropic: { options: provider.gateway.options } } });
    });
    return { ...start, files, args: without(start.args, "-m") };
  },
  aider: (start) => ({ ...start, args: without(start.args, "--model") }),
};

function eachFile({ files = {} }: Start, change: (text: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, path.includes("work/") ? text : change(text)]),
  );
}

/** Words without an option and its value. */
function without(args: string[], option: string): string[] {
  const at = args.indexOf(option);
  return args.filter((_, place) => at < 0 || (place !== at && place !== at + 1));
}

/** Plays two turns with one program at both gateways. */
export async function playUnnamed(
  world: World,
  [program, command]: [Program, string],
  say: (line: string) => void,
): Promise<Seen[]> {
  const strip = bare[program.bin];
  if (!strip) throw new Error(`nobody says how ${program.name} is started without a model`);
  const own: Program = { ...program, start: (session) => strip(program.start(session)) };
  const gateways: [string, LocalGateway][] = [
    [catalogs[0], await world.shipped()],
    [catalogs[1], world.gateway],
  ];
  const seen: Seen[] = [];
  for (const [provider, gateway] of gateways) {
    const key = await world.keyAt(gateway);
    const wish = { play: "two-turns", url: gateway.url, key, model: "", maxMs: programMs };
    const played = await playSession(own, command, wish, () => undefined);
    const asked = [
      ...new Set(world.provider.heard.filter((one) => one.folder === played.folder).map(modelOf)),
    ];
    const cell = {
      client: program.name,
      feature: unnamedTitle,
      provider,
      ...verdictOf(played, asked),
    };
    say(`${cell.client}, ${unnamedTitle}, ${provider}: ${cell.verdict}, ${cell.told}`);
    if (cell.verdict !== "ok") say(played.printed.slice(-600));
    seen.push(cell);
  }
  return seen;
}

const modelOf = ({ path, body }: World["provider"]["heard"][number]): string =>
  /models\/([^:]+):/.exec(path)?.[1] ?? String(body.model);

/** Answered, or told within the time that errors have. */
function verdictOf(played: Played, asked: string[]): Pick<Seen, "verdict" | "told"> {
  const refused = played.passed.find(({ method, status }) => method === "POST" && status >= 400);
  if (!refused) {
    const arrived = played.printed.includes(lastWords);
    return {
      verdict: arrived ? "ok" : "fails: the text did not arrive",
      told: `answered by ${asked.join(", ")}`,
    };
  }
  const seconds = (played.endedAt - refused.at) / 1000;
  const told = `${seconds.toFixed(1)} s: “${lastLine(played.printed, 400)}”`;
  if (refused.status !== 404) return { verdict: `fails: it came to ${refused.status}`, told };
  const isSoon = !played.hung && seconds <= longestSeconds;
  return { verdict: isSoon ? "ok" : "fails: it went on for more than 15 s", told };
}
