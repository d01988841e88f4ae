/** Whether a gateway answers, and which version and catalog it says it has. */

import { sayPriceAges } from "#shared/edges/operator/price-ages.ts";
import type { CatalogHere } from "./catalog-here.ts";
import { type Check, type CheckFinding, crowded, fail, ok, unknown, unreachable, warn } from "./check.ts";

/** How an address is asked. */
export type Fetch = (address: string, init: { signal: AbortSignal }) => Promise<Response>;

/** What `GET /health` says (shared/base/http/README.md "Pages"). */
interface Health {
  status?: string;
  version?: string;
  catalog?: { version?: string; digest?: string };
}

interface GatewayPlace {
  fetch: Fetch;
  now: () => number;
  /** The version of the code in this folder. */
  version: string;
  catalog: CatalogHere;
}

/** A first call may have to wait for a cold start. */
const answerMsMax = 8_000;
const slowMs = 2_000;

/** The checks of one address. `name` tells several fronts apart. */
export function gatewayChecks(name: string, address: string, place: GatewayPlace): Check[] {
  const asked = askHealth(address, place);
  // Each check waits for it by itself, and says what it means.
  asked.catch(() => {});
  return [
    { name, run: async () => await reached(address, asked) },
    { name: `${name} version`, run: () => ofAnswer(asked, (answer) => sameVersion(answer, place)) },
    { name: `${name} catalog`, run: () => ofAnswer(asked, (answer) => sameCatalog(answer, place)) },
  ];
}

/** Whether the catalog has rates for what coding agents send by themselves. */
export function agentsCheck({ catalog }: Pick<GatewayPlace, "catalog">): Check {
  return catalogCheck("agents' tools", catalog, ({ unrated }) =>
    unrated.length === 0
      ? ok("each model has a rate for what coding agents send to it")
      : warn(
          unrated.join("; "),
          "add the rate to price.rates.tools of these models: shared/books/catalog/README.md says how",
        ),
  );
}

/** How old the catalog's prices are. What is charged is what vendors asked on those days. */
export function pricesCheck({ catalog }: Pick<GatewayPlace, "catalog">): Check {
  const action =
    "compare them with public lists: operator catalog sync; catalog check --verbose names the models";
  return catalogCheck("prices", catalog, ({ ages }) => {
    const { seen, isOld } = sayPriceAges(ages);
    return isOld ? warn(seen, action) : ok(seen);
  });
}

/** A check of a catalog that would deploy. */
function catalogCheck(
  name: string,
  catalog: CatalogHere,
  judge: (known: Exclude<CatalogHere, { problem: string }>) => CheckFinding,
): Check {
  const run = () =>
    "problem" in catalog ? unknown(catalog.problem, "give its file with --catalog") : judge(catalog);
  return { name, run };
}

interface Answer {
  health: Health;
  status: number;
  ms: number;
}

/** What an answer says. Without one, the first check has said why. */
async function ofAnswer(
  asked: Promise<Answer>,
  judge: (answer: Answer) => CheckFinding,
): Promise<CheckFinding> {
  const answer = await asked.catch(() => undefined);
  return answer ? judge(answer) : unknown("the gateway did not answer", "see the check before");
}

async function askHealth(address: string, { fetch, now }: GatewayPlace): Promise<Answer> {
  const startedAt = now();
  const reply = await fetch(new URL("/health", address).href, { signal: AbortSignal.timeout(answerMsMax) });
  const text = await reply.text();
  return { health: readHealth(text), status: reply.status, ms: now() - startedAt };
}

function readHealth(text: string): Health {
  try {
    return (JSON.parse(text) ?? {}) as Health;
  } catch {
    return {};
  }
}

async function reached(address: string, asked: Promise<Answer>): Promise<CheckFinding> {
  let answer: Answer;
  try {
    answer = await asked;
  } catch (error) {
    return unreachable(address, error, "gateway");
  }
  const { status, health, ms } = answer;
  if (status === 429) return crowded(address, "calls");
  if (status !== 200 || health.status !== "ok") {
    const said = health.status ? `, "${health.status}"` : "";
    return fail(`${address} answers ${status}${said} on /health`, "look at the log of the gateway");
  }
  const seen = `${address} answered in ${ms} ms`;
  return ms > slowMs
    ? warn(`${seen}, which is slow`, "run it again: the first answer may be a cold start")
    : ok(seen);
}

const older = "it answers from a version that does not say so";
const deploy = "deploy this folder: npm run deploy";

function sameVersion({ health }: Answer, { version }: GatewayPlace): CheckFinding {
  if (health.version === undefined) return unknown(older, deploy);
  return health.version === version
    ? ok(`it runs ${version}, as is here`)
    : warn(`it runs ${health.version}, and ${version} is here`, `${deploy}, or check out ${health.version}`);
}

function sameCatalog({ health }: Answer, { catalog }: GatewayPlace): CheckFinding {
  const { digest, version } = health.catalog ?? {};
  if (digest === undefined) return unknown(older, deploy);
  const inForce = `the catalog ${version} (${digest}) is in force`;
  if ("problem" in catalog) return unknown(`${inForce}; ${catalog.problem}`, "give its file with --catalog");
  return digest === catalog.digest
    ? ok(`${inForce}, which is ${catalog.file}`)
    : warn(
        `${inForce}, and ${catalog.file} is another one: ${catalog.version} (${catalog.digest})`,
        "npm run deploy shows which prices would change; --catalog names another file",
      );
}
