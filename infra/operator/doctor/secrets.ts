/** The secrets of a stage: that they are filled. No value is ever shown. */
import { readKeys } from "#shared/base/platform/secrets.ts";
import { isCallable, keyNames, valueNames } from "#shared/books/catalog/provider.ts";
import type { CatalogHere } from "./catalog-here.ts";
import { type Check, type CheckFinding, counted, fail, isMissing, ok, unknown, warn } from "./check.ts";
import { judgeSecret } from "./secret-text.ts";
import { outputOf, type StagePlace } from "./stage-place.ts";

export function secretChecks(place: StagePlace): Check[] {
  const judge = (text: string, where: string) => judgeKeys(text, place.catalog, where);
  return [
    { name: "pepper", run: async () => await madeSecret(place, "pepperSecret", "no key can be checked") },
    {
      name: "accounts secret",
      run: async () => await madeSecret(place, "accountsSecret", "nobody can sign in"),
    },
    { name: "provider keys", run: () => judgeSecret(place, "providersSecret", "of the providers", judge) },
    { name: "providers", run: () => providersOf(place.catalog) },
  ];
}

/** The value is not read: that it has a current version is enough. `without` says what fails without one. */
async function madeSecret(
  place: StagePlace,
  output: "pepperSecret" | "accountsSecret",
  without: string,
): Promise<CheckFinding> {
  const SecretId = outputOf(place, output);
  if (!SecretId) return fail("the stack names no such secret", "deploy the stage again");
  try {
    const { VersionIdsToStages = {} } = await place.ask("secretsmanager:DescribeSecret", { SecretId });
    return Object.values(VersionIdsToStages).some((stages) => stages.includes("AWSCURRENT"))
      ? ok("it has a current version")
      : fail(`it has no current version: ${without}`, "restore the version before it");
  } catch (error) {
    if (!isMissing(error)) throw error;
    return fail(`it is not there: ${without}`, "restore it: aws secretsmanager restore-secret");
  }
}

/** What the stand-in of `npm start` takes for a key, and no vendor does. */
export const demoKey = "demo";

/** Compares the text of the providers' secret with what a catalog needs. It names keys, and never shows one. */
function judgeKeys(text: string, catalog: CatalogHere, where: string): CheckFinding {
  const put = "put each with: npm run -s operator -- secret put NAME";
  const keys = readKeys(text);
  if (!keys)
    return fail("the secret is no JSON object of names and keys", `write ${where} anew, as {"NAME": "KEY"}`);
  if ("problem" in catalog)
    return unknown(`it has ${counted(keys.size, "key")}; ${catalog.problem}`, "give --catalog");
  const needed = Object.values(catalog.providers);
  const served = needed.filter((provider) => isCallable(provider, (name) => keys.has(name)));
  const names = needed.flatMap((provider) => [...keyNames(provider), ...valueNames(provider)]);
  const missing = names.filter((name) => !keys.has(name));
  const demos = [...keys].flatMap(([name, value]) => (value === demoKey ? [name] : []));
  if (demos.length > 0) return warn(`${demos.join(", ")} has the key of the demo provider`, put);
  if (needed.length > 0 && served.length === 0) {
    return fail(`no provider of the catalog has a key; it needs ${missing.join(", ")}`, put);
  }
  const seen = `${served.length} of ${counted(needed.length, "provider")} of the catalog have what they need`;
  return missing.length === 0
    ? ok(seen)
    : warn(`${seen}; missing: ${missing.join(", ")}`, `calls to them get 50002; ${put}`);
}

/** Addresses that are this machine, or that the standards keep for examples (RFC 2606). */
const notReal =
  /^https?:\/\/(?:localhost|127\.|\[::1\]|0\.0\.0\.0|[^/]*\.(?:example|test|invalid|localhost)\b|(?:[^/]*\.)?example\.(?:com|net|org)\b)/i;

/** Whether all providers are real: a demo's catalog would answer customers with invented words. */
function providersOf(catalog: CatalogHere): CheckFinding {
  if ("problem" in catalog) return unknown(catalog.problem, "give the catalog of the stage with --catalog");
  const played = Object.entries(catalog.providers).filter(([, { protocols }]) =>
    Object.values(protocols).some((url) => notReal.test(url)),
  );
  const plain = Object.entries(catalog.providers).filter(([, { protocols }]) =>
    Object.values(protocols).some((url) => url.startsWith("http:")),
  );
  const action = "deploy a catalog with the vendors' own addresses";
  if (played.length > 0) return warn(`${namesIn(played)}: a demo's address, or an example's`, action);
  if (plain.length > 0) return warn(`${namesIn(plain)}: keys are sent without TLS`, action);
  return ok(`${counted(Object.keys(catalog.providers).length, "provider")} with addresses of their own`);
}

function namesIn(entries: readonly [string, unknown][]): string {
  return entries.map(([name]) => name).join(", ");
}
