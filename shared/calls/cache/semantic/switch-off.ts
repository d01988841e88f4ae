/** Switches a context off when its evidence says so (shared/calls/cache/semantic/README.md "Evidence"). */
import type { Log } from "../../../base/platform/log.ts";
import { type ContextEvidence, offUntil } from "./evidence.ts";
import type { ContextPlace, SemanticStore } from "./store.ts";

interface SwitchOffDeps {
  contexts: Pick<SemanticStore, "switchOff">;
  log: Log;
  /** Unix milliseconds. */
  now: () => number;
}

/** Switches the context off for a day if its hits were wrong or it finds too little. Gives whether it switched. */
export async function switchOffIfDue(
  place: ContextPlace,
  evidence: ContextEvidence,
  { contexts, log, now }: SwitchOffDeps,
): Promise<boolean> {
  const until = offUntil(evidence, now());
  if (until === undefined || !(await contexts.switchOff(place, until, now()))) return false;
  const { agreed, refuted } = evidence;
  const isWrong = offUntil({ ...evidence, lookups: 0, candidates: 0 }, now()) !== undefined;
  if (isWrong) {
    const told = `${refuted} of ${agreed + refuted} hits were wrong`;
    log("error", "cache_semantic_off", { organization: place.organization, reason: told });
  } else log("info", "cache_semantic_idle", { organization: place.organization });
  return true;
}
