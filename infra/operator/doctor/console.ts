/** The console: that it answers, that platforms reach it, and what it can pay and send with. No secret is shown. */
import { objectIn } from "#shared/base/json/fields.ts";
import defaults from "#shared/books/catalog/default/catalog.json" with { type: "json" };
import { type Check, type CheckFinding, crowded, fail, ok, unreachable, warn } from "./check.ts";
import type { Fetch } from "./gateway.ts";
import { judgeSecret } from "./secret-text.ts";
import { outputOf, type StagePlace } from "./stage-place.ts";

/** A route that everybody may ask, and that needs the function's tables and secrets to be there. */
const askedPath = "api/v1/payment-methods";

/** A first request may have to wait for a cold start. */
const answerMsMax = 8_000;

/** Whether a console answers at an address. `name` is that of the check. */
export function consoleCheck(name: string, address: string, fetch: Fetch): Check {
  return { name, run: async () => await reached(address, fetch) };
}

async function ask(address: string, path: string, fetch: Fetch): Promise<Response> {
  return await fetch(`${address.replace(/\/$/, "")}/${path}`, { signal: AbortSignal.timeout(answerMsMax) });
}

async function reached(address: string, fetch: Fetch): Promise<CheckFinding> {
  try {
    const { status } = await ask(address, askedPath, fetch);
    if (status === 200) return ok(`${address} answers`);
    if (status === 429) return crowded(address, "requests");
    return fail(`${address} answers ${status}`, "look at the log of the console");
  } catch (error) {
    return unreachable(address, error, "console");
  }
}

/** The checks of a stage's console; none where it has none. */
export function consoleChecks(place: StagePlace): Check[] {
  const address = outputOf(place, "consoleUrl");
  if (!address) return [];
  const { notifyBase, fetch } = place;
  return [
    consoleCheck("console", address, fetch),
    ...(notifyBase === undefined ? [] : [consoleCheck("notify base", notifyBase, fetch)]),
    { name: "platforms", run: () => judgeSecret(place, "platformsSecret", "of platforms", judgePlatforms) },
    { name: "rates", run: async () => await ratesOf(address, fetch) },
    { name: "plans", run: async () => await plansOf(address, fetch) },
  ];
}

/** What the console asks for points. The default catalog's rates are examples, and nobody's price. */
async function ratesOf(address: string, fetch: Fetch): Promise<CheckFinding> {
  const answer = await ask(address, askedPath, fetch);
  const { data = [] } = (await answer.json()) as { data?: { currency: string; points_per_unit: string }[] };
  const examples: Readonly<Record<string, { points_per_unit: string } | undefined>> = defaults.recharge;
  const kept = data.filter((each) => examples[each.currency]?.points_per_unit === each.points_per_unit);
  const told = data.map(({ currency, points_per_unit }) => `${points_per_unit} for 1 ${currency}`).join(", ");
  if (data.length === 0) return ok("nothing is sold");
  if (kept.length === 0) return ok(`points are sold at ${told}`);
  const names = kept.map(({ currency }) => currency).join(", ");
  return warn(
    `points are sold at ${told}; the rate of ${names} is the default catalog's example`,
    "set points_per_unit of recharge in the stage's catalog: shared/books/catalog/README.md says what a point is",
  );
}

/** What the plans on sale let one call cost the house. */
async function plansOf(address: string, fetch: Fetch): Promise<CheckFinding> {
  const answer = await ask(address, "api/v1/plans", fetch);
  const { data = [] } = (await answer.json()) as { data?: SoldPlan[] };
  const open = data.filter((each) => each.object === "plan" && each.list_points_max?.call === undefined);
  if (open.length === 0) return ok("every plan bounds what a call costs at list price");
  return warn(
    `nothing bounds what a call costs the house on ${open.map(({ plan }) => plan).join(", ")}`,
    "set list_points_max of these plans in the stage's catalog; `catalog check` says what their dearest call is worth",
  );
}

interface SoldPlan {
  object?: string;
  plan: string;
  list_points_max?: { call?: string } | null;
}

const channels = ["alipay", "wechat", "stripe"];

/** What can be paid and sent with the text of the secret `platforms`. It names members, and shows no value. */
function judgePlatforms(text: string, where: string): CheckFinding {
  const members = objectIn(text);
  const how = "infra/resources/secrets.md says what belongs into it";
  if (!members) return fail("the secret is no JSON object", `write ${where} anew; ${how}`);
  const there = channels.filter((name) => name in members);
  const others = Object.keys(members).filter((name) => name !== "sms" && !channels.includes(name));
  const [unknownName] = others;
  if (unknownName !== undefined) return warn(`it has "${unknownName}", which nobody reads`, how);
  const { sms } = members as { sms?: { service?: unknown } };
  const lacks = [
    ...(there.length === 0 ? ["no channel: nobody can pay"] : []),
    ...(sms === undefined ? ["no sender of messages: nobody can sign in"] : []),
  ];
  if (lacks.length > 0) return warn(lacks.join("; "), how);
  if (sms?.service === "inbox") return warn("messages go to an inbox, and to nobody's phone", how);
  return ok(`customers pay by ${there.join(", ")}, and messages go by ${String(sms?.service ?? "sms")}`);
}
