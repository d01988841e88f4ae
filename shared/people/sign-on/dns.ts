/** DNS, as far as it proves domains: TXT records over the resolver of the system, or the stand-in of a local machine. */
import { Resolver } from "node:dns/promises";
import { readAll } from "../../base/platform/http-client.ts";
import { signOnLimits } from "./bounds.ts";
import type { ReadTexts } from "./domain.ts";
import type { ProviderFetchDeps } from "./provider-fetch.ts";

/** What DNS says where a name has no such record. Anything else is no answer. */
const none: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA"]);

/** Reads TXT records. A local machine has a stand-in, whose names nobody else knows. */
export function createReadTexts({ send, sandbox }: Pick<ProviderFetchDeps, "send" | "sandbox">): ReadTexts {
  if (sandbox === undefined) return fromSystem;
  const { dnsMs, answerBytesMax } = signOnLimits;
  return async (name) => {
    const url = `${sandbox}/dns?name=${encodeURIComponent(name)}`;
    const waits = { connectMs: dnsMs, firstByteMs: dnsMs, idleMs: dnsMs };
    const reply = await send({ method: "GET", url, headers: {}, body: "", ...waits });
    const { data } = JSON.parse((await readAll(reply, answerBytesMax)).toString()) as { data: string[] };
    return data;
  };
}

const fromSystem: ReadTexts = async (name) => {
  const resolver = new Resolver({ timeout: signOnLimits.dnsMs, tries: signOnLimits.dnsTries });
  try {
    return (await resolver.resolveTxt(name)).map((pieces) => pieces.join(""));
  } catch (error) {
    return none.has((error as NodeJS.ErrnoException).code) ? [] : undefined;
  }
};
