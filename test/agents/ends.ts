/** Errors that a program must tell its person soon, instead of asking again and again. */
import type { LocalGateway } from "#test/support/local.ts";
import { operator } from "#test/support/local.ts";
import type { Verdict } from "../sdk/table.ts";
import type { Program } from "./programs.ts";
import type { Seen } from "./results.ts";
import type { Played } from "./session.ts";
import { models, type World } from "./world.ts";

/** The heading of their table. */
export const endsTitle = "errors that end";

/** The longest that a program may go on after its first error, in seconds. */
export const longestSeconds = 15;

interface End {
  /** Its column. */
  title: string;
  /** The play of the prompt. */
  play: string;
  model?: string;
  /** It may pass, so the program may ask again for as long as its own rules have it. */
  waits?: true;
  /** The key of the session. */
  key: (world: World) => Promise<string>;
}

const rich = async ({ books }: World) => (await books.customer()).key;

/** In the order of the table. */
export const ends: readonly End[] = [
  { title: "wrong key", play: "two-turns", key: async () => "sk-gw-no-key-of-anybody" },
  { title: "unknown model", play: "two-turns", model: "acme/none", key: rich },
  {
    title: "out of balance",
    play: "two-turns",
    key: async ({ books }) => (await books.customer("0.000001")).key,
  },
  { title: "rate limit", play: "two-turns", waits: true, key: limitedKey },
  { title: "quota used up", play: "two-turns", key: spentKey },
  { title: "provider down", play: "provider-down", waits: true, key: rich },
  { title: "context too long", play: "context-too-long", key: rich },
];

/** A key of a plan with one call a minute, which has been made. */
async function limitedKey({ gateway }: World): Promise<string> {
  const key = await keyOf(gateway, "slow");
  await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: models.openai, messages: [{ role: "user", content: "Hello" }] }),
  });
  return key;
}

/** A key of a plan without a single call. */
async function spentKey({ gateway }: World): Promise<string> {
  return await keyOf(gateway, "none");
}

async function keyOf(gateway: LocalGateway, plan: string): Promise<string> {
  const { value } = await operator(gateway, "org", "create", "--name", "Agents", "--plan", plan);
  const flags = ["--org", String(value.id), "--mode", "subscription"];
  return String((await operator(gateway, "key", "create", ...flags)).value.key);
}

/** What a session with an error came to: whether it ended soon, and what its person reads last. */
export function endOf(end: End, program: Program, played: Played): Seen {
  const turns = played.passed.filter(({ method, path }) => method === "POST" && program.turns.test(path));
  const failed = turns.filter(({ status }) => status >= 400);
  const seconds = failed[0] ? (played.endedAt - failed[0].at) / 1000 : 0;
  const cannot = program.not[end.title];
  const verdict: Verdict =
    cannot === undefined ? verdictOf(end, played, { tries: failed.length, seconds }) : `n.a.: ${cannot}`;
  const tries = failed.length === 1 ? "1 try" : `${failed.length} tries`;
  const told = `${seconds.toFixed(1)} s, ${tries}: “${lastLine(played.printed)}”`;
  return { client: program.name, feature: endsTitle, provider: end.title, verdict, told };
}

function verdictOf(
  end: End,
  played: Played,
  { tries, seconds }: { tries: number; seconds: number },
): Verdict {
  if (tries === 0) return "fails: it met no error";
  if (played.hung) return "fails: it did not end";
  return seconds <= longestSeconds || end.waits ? "ok" : "fails: it went on for more than 15 s";
}

/** The last line that says something, at most so long, without the codes of terminals and the names of our folders. */
export function lastLine(printed: string, most = 200): string {
  const lines = printed
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals are told of colors by it.
    .replace(/\u001b\[[0-9;]*[A-Za-z]/g, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /[a-z]{3}/i.test(line) && !/^at |\[object Object\]/.test(line));
  const error = lines.findLast((line) =>
    /error|invalid|exceeded|insufficient|balance|limit|quota|model/i.test(line),
  );
  return (error ?? lines.at(-1) ?? "").replace(/\S*\/agent-\S*/g, "…").slice(0, most);
}
