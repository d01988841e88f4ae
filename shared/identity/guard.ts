/** What may stop a message before it is sent, and so before it is paid for (identity/sms/README.md "The guard"). */
import { dayMs } from "../billing/period.ts";
import { consoleLimits } from "../console-limits.ts";
import { GatewayError } from "../errors.ts";
import type { Log } from "../platform/log.ts";
import { addressOf } from "./address.ts";
import { newChallenge, readAnswer } from "./human.ts";
import type { KeyVersions } from "./identity-keys.ts";
import { blockOf, countryOf } from "./phone.ts";
import { blockCount, type Limited, limitedCounts, proofCount } from "./send-counts.ts";
import type { SendGuard, SendRequest } from "./sending.ts";
import { type SmsSettings, usualLimits } from "./sms/settings.ts";
import { type Count, type Counted, takeAll, type Velocity } from "./velocity.ts";
import { waitInWords } from "./wait-in-words.ts";

export interface GuardDeps {
  velocity: Velocity;
  /** The settings that are in force; undefined where the stage has none. */
  settings: () => Promise<Pick<SmsSettings, "limits"> | undefined>;
  /** The calling codes that messages go to. */
  countries: readonly string[];
  /** The most messages of a UTC day, over all numbers. */
  perDayMax: number;
  keys: () => Promise<KeyVersions>;
  log: Log;
  now: () => number;
  /** How many zero bits an answer to a challenge needs, where that is not the usual number. */
  humanBits?: number;
}

/**
 * The guard of a stage. A request that it admits takes two round trips: one reads all counts, the other adds to them.
 * Each refusal is a line `sms_refused` with its reason.
 */
export function createSendGuard(deps: GuardDeps): SendGuard {
  return {
    async admit(request) {
      const at = deps.now();
      const counts = await countsOf(request, at, deps);
      const before = await readAll(counts, request.phone, at, deps);
      if (before.stopped_until > at) throw tooOften("stopped", before.stopped_until - at, deps);
      // Before anything is counted: who is refused here takes no room from others.
      const full = counts.find(({ most }, i) => (before.sent[i] ?? 0) >= most);
      if (full) throw noRoom(full, at, deps);
      const proof = counts.some((count, i) => isWarm(count, before.sent[i] ?? 0))
        ? await proofOf(request, at, deps)
        : undefined;
      const block = await takeEach({ counts, proof, request, at }, deps);
      if (isPumped(block)) await stopBlock(request.phone, at, deps);
    },

    async completed(phone) {
      await deps.velocity.complete(blockCount(phone, deps.now()));
    },
  };
}

/** The counts of a request. Refuses a number of a country that gets no messages. */
async function countsOf({ phone, ip }: SendRequest, at: number, deps: GuardDeps): Promise<Limited[]> {
  const country = countryOf(phone, deps.countries);
  if (country === undefined) {
    const message = `Messages go to numbers of ${deps.countries.join(", ")} only.`;
    throw refused("country", new GatewayError("invalid_request", { param: "phone", message }), deps);
  }
  const limits = (await deps.settings())?.limits ?? usualLimits;
  return limitedCounts({ phone, country, ip, at }, { ...limits, day: deps.perDayMax });
}

interface Before {
  sent: number[];
  /** Unix milliseconds; 0 where the number's block is not stopped. */
  stopped_until: number;
}

/** All counts, and whether the block is stopped. A stop may have begun on the day before. */
async function readAll(counts: Count[], phone: string, at: number, { velocity }: GuardDeps): Promise<Before> {
  const [today, yesterday, ...counted] = await Promise.all([
    velocity.stops(at),
    velocity.stops(at - dayMs),
    ...counts.map((count) => velocity.read(count)),
  ]);
  const block = blockOf(phone);
  return {
    sent: counted.map(({ sent }) => sent),
    stopped_until: Math.max(today[block] ?? 0, yesterday[block] ?? 0),
  };
}

function isWarm({ warms, most }: Limited, sent: number): boolean {
  return warms === true && sent * 100 >= most * consoleLimits.smsWarmPercent;
}

/** The count that lets an answer to a challenge be used once. Asks for an answer where there is none that is good. */
async function proofOf(request: SendRequest, at: number, deps: GuardDeps): Promise<Count> {
  const { human } = request;
  const { ip } = addressOf(request.ip);
  const bits = deps.humanBits ?? consoleLimits.humanBits;
  const solved = human === undefined ? undefined : readAnswer(human, { ip, at, bits }, await deps.keys());
  if (!solved) throw await proofWanted(request, at, deps);
  return proofCount(solved.nonce, solved.ends_at);
}

interface Taking {
  counts: Limited[];
  proof: Count | undefined;
  request: SendRequest;
  at: number;
}

/** Adds to all counts, or to none of them. Gives what the count of the number's block has come to. */
async function takeEach({ counts, proof, request, at }: Taking, deps: GuardDeps): Promise<Counted> {
  const all = [blockCount(request.phone, at), ...(proof ? [proof] : []), ...counts];
  const { full, counted } = await takeAll(all, deps.velocity);
  const [block] = counted;
  if (block && !full) return block;
  throw full === proof ? await proofWanted(request, at, deps) : noRoom(full as Count, at, deps);
}

/** Pumping sends messages that nobody completes. */
function isPumped({ sent, completed }: Counted): boolean {
  const { smsRatedMin, smsCompletedPercentMin } = consoleLimits;
  return sent >= smsRatedMin && completed * 100 < sent * smsCompletedPercentMin;
}

async function stopBlock(phone: string, at: number, deps: GuardDeps): Promise<void> {
  const block = blockOf(phone);
  const isNew = await deps.velocity.stop(block, at, at + consoleLimits.smsStopSeconds * 1000);
  const country = countryOf(phone, deps.countries) ?? "";
  if (isNew) deps.log("error", "sms_prefix_stopped", { country, block });
}

/** Why a message was refused, for the log: what was full, or `stopped`, `human`, or `country`. */
function refused(reason: string, error: GatewayError, { log }: GuardDeps): GatewayError {
  log("info", "sms_refused", { reason });
  return error;
}

function noRoom({ what, ends_at }: Count, at: number, deps: GuardDeps): GatewayError {
  const [reason = what] = what.split(":");
  return tooOften(reason === "countries" ? "country" : reason, ends_at - at, deps);
}

function tooOften(reason: string, wait_ms: number, deps: GuardDeps): GatewayError {
  const message = `Too many messages were asked for. Try again in ${waitInWords(wait_ms)}.`;
  return refused(reason, new GatewayError("sms_too_often", { message, wait_ms }), deps);
}

async function proofWanted({ ip }: SendRequest, at: number, deps: GuardDeps): Promise<GatewayError> {
  const challenge = newChallenge(addressOf(ip).ip, at, await deps.keys());
  const error = new GatewayError("invalid_request", {
    param: "human",
    message: "Solve the challenge in `human`, and send the request again with its answer.",
    human: { challenge, bits: deps.humanBits ?? consoleLimits.humanBits },
  });
  return refused("human", error, deps);
}
