/**
 * What may stop a message before it is sent, and so before it is paid for (people/identity/sms/README.md "The guard").
 */

import { consoleLimits } from "../../base/console-limits.ts";
import { GatewayError } from "../../base/errors.ts";
import type { Log } from "../../base/platform/log.ts";
import { dayMs } from "../../books/billing/period.ts";
import { addressOf } from "./address.ts";
import { hardness, nextRefill } from "./budget.ts";
import { type ByKind, type Contact, type ContactKind, kindOf, neighborsOf } from "./contact.ts";
import { newChallenge, readAnswer } from "./human.ts";
import type { KeyVersions } from "./identity-keys.ts";
import { blockOf, countryOf } from "./phone.ts";
import { addressShare, blockCount, type Limited, limitedCounts, proofCount } from "./send-counts.ts";
import type { SendGuard, SendRequest } from "./sending.ts";
import { type SmsSettings, usualLimits } from "./sms/settings.ts";
import { takeAll, type Velocity, type VelocityCount, type VelocityCounts } from "./velocity.ts";
import { waitInWords } from "./wait-in-words.ts";

interface GuardDeps {
  velocity: Velocity;
  /** The settings that are in force; undefined where the stage has none. */
  settings: () => Promise<Pick<SmsSettings, "limits"> | undefined>;
  /** The calling codes that messages go to. */
  countries: readonly string[];
  /** The most messages of a UTC day, over all contacts of a kind. Null: it gets none. */
  perDayMax: ByKind<number>;
  keys: () => Promise<KeyVersions>;
  log: Log;
  now: () => number;
  /** How many zero bits an answer to a challenge needs, where that is not the usual number. */
  humanBits?: number;
}

/** The guard of a stage, in two round trips: a read and an addition. A refusal is a line `sms_refused`. */
export function createSendGuard(deps: GuardDeps): SendGuard {
  return {
    async admit(request) {
      const at = deps.now();
      const { counts, stopped_until } = await readCounts(request, at, deps);
      if (stopped_until > at) throw tooOften("stopped", stopped_until - at, deps);
      // Before anything is counted: who is refused here takes no room from others.
      const full = counts.find(({ most, sent }) => sent >= most);
      if (full) throw noRoom(full, request.contact, at, deps);
      const proof = await proofOf(request, counts, at, deps);
      const isScarce = counts.some(({ strangers, sent }) => strangers !== undefined && sent >= strangers);
      const isSent = !isScarce || (await request.hasAccount());
      const taking = { counts: countsTaken(counts, { isScarce, isSent }), proof, request, at };
      const { block, low } = await takeEach(taking, deps);
      if (low) deps.log("warn", "sms_budget_low", low);
      if (block && isPumped(block)) await stopBlock(request.contact.text, at, deps);
      return { isSent, scarce_until: isScarce ? nextRefill(at) : undefined };
    },

    async completed({ contact, name, ip }) {
      const at = deps.now();
      const { velocity } = deps;
      const block = blockIn(contact);
      await Promise.all([
        block !== undefined && velocity.complete(blockCount(block, at)),
        velocity.giveBack(addressShare(contact, name, ip, at)),
      ]);
    },
  };
}

/** A count with what it has come to. */
type Filled = Limited & { sent: number };

/**
 * The block that a phone is in. Nobody earns by mails to a domain, so domains are never stopped: a stranger could have
 * those of half the world stopped.
 */
function blockIn({ kind, text }: Contact): string | undefined {
  return kind === "phone" ? blockOf(text) : undefined;
}

/** The country of a phone; undefined for other contacts. Refuses a number of a country that gets no messages. */
function countryIn({ kind, text }: Contact, deps: GuardDeps): string | undefined {
  if (kind !== "phone") return undefined;
  const country = countryOf(text, deps.countries);
  if (country !== undefined) return country;
  const message = `Messages go to numbers of ${deps.countries.join(", ")} only.`;
  throw refused("country", new GatewayError("invalid_request", { param: "phone", message }), deps);
}

/** The counts, and until when the number's block is stopped. */
async function readCounts(
  { contact, name, ip }: SendRequest,
  at: number,
  deps: GuardDeps,
): Promise<{ counts: Filled[]; stopped_until: number }> {
  const country = countryIn(contact, deps);
  const [settings, { current }] = await Promise.all([deps.settings(), deps.keys()]);
  const limits = { ...(settings?.limits ?? usualLimits), day: deps.perDayMax[contact.kind] ?? 0 };
  const neighbors = neighborsOf(contact, current);
  const asked = { contact, name, country, neighbors, ip, at };
  const countsWith = (raised: number) => limitedCounts(asked, limits, raised);
  const { velocity } = deps;
  const block = blockIn(contact);
  const stopsOf = async (day: number) => (block === undefined ? {} : await velocity.stops(day));
  const [today, yesterday, ...counted] = await Promise.all([
    stopsOf(at),
    stopsOf(at - dayMs),
    ...countsWith(0).map((count) => velocity.read(count)),
  ]);
  // An operator raises the day's messages, and so those of each country.
  const raised = Math.max(0, ...counted.map((each) => each.raised));
  return {
    counts: countsWith(raised).map((count, i) => ({ ...count, sent: counted[i]?.sent ?? 0 })),
    stopped_until: block === undefined ? 0 : Math.max(today[block] ?? 0, yesterday[block] ?? 0),
  };
}

/**
 * The counts that a message is added to. One that is not sent takes nothing of a budget. While nobody was asked for an
 * account, no race takes more than strangers may have.
 */
function countsTaken(
  counts: Filled[],
  { isScarce, isSent }: { isScarce: boolean; isSent: boolean },
): Filled[] {
  if (!isSent) return counts.filter(({ strangers }) => strangers === undefined);
  return isScarce ? counts : counts.map((count) => ({ ...count, most: count.strangers ?? count.most }));
}

/** How many bits more than usual the answer to a challenge has. Undefined where none is asked for. */
function hardnessOf(counts: Filled[]): number | undefined {
  const asked = counts.map(({ warms, strangers, most, sent }) => {
    if (strangers !== undefined) return hardness(sent, most);
    return warms && sent * 100 >= most * consoleLimits.smsWarmPercent ? 0 : undefined;
  });
  const bits = asked.filter((each) => each !== undefined);
  return bits.length === 0 ? undefined : Math.max(...bits);
}

/** The count by which an answer is used once; undefined where no proof is asked for. Asks where no answer is good. */
async function proofOf(
  request: SendRequest,
  counts: Filled[],
  at: number,
  deps: GuardDeps,
): Promise<VelocityCount | undefined> {
  const more = hardnessOf(counts);
  if (more === undefined) return undefined;
  const { human } = request;
  const { ip } = addressOf(request.ip);
  const bits = consoleLimits.smsHardeningPercents.map((_, step) => bitsOf(step, deps));
  const solved = human === undefined ? undefined : readAnswer(human, { ip, at, bits }, await deps.keys());
  if (!solved) throw await proofWanted(request, more, at, deps);
  return proofCount(solved.nonce, solved.ends_at);
}

function bitsOf(more: number, { humanBits = consoleLimits.humanBits }: GuardDeps): number {
  return humanBits + more;
}

interface Taking {
  counts: Filled[];
  proof: VelocityCount | undefined;
  request: SendRequest;
  at: number;
}

/** What adding to the counts has come to. */
interface TakenCounts {
  /** The count of the number's block, if the message is sent. */
  block: VelocityCounts | undefined;
  /** A budget of which less than half is left: whose, what was sent of it, and what is allowed by now. */
  low: { budget: string; sent: number; allowed: number } | undefined;
}

/** Adds to all counts, or to none of them. */
async function takeEach({ counts, proof, request, at }: Taking, deps: GuardDeps): Promise<TakenCounts> {
  const isSent = counts.some(({ strangers }) => strangers !== undefined);
  const block = isSent ? blockIn(request.contact) : undefined;
  const rated = block === undefined ? [] : [blockCount(block, at)];
  const all = [...counts, ...(proof ? [proof] : []), ...rated];
  const { full, counted } = await takeAll(all, deps.velocity);
  if (full) {
    if (full === proof) throw await proofWanted(request, 0, at, deps);
    throw noRoom(full as Limited, request.contact, at, deps);
  }
  const low = counts.flatMap(({ what, of, allowed }, i) => {
    const sent = counted[i]?.sent ?? 0;
    const isLow = allowed !== undefined && sent * 100 >= allowed * consoleLimits.smsLowPercent;
    return isLow ? [{ budget: of ?? what, sent, allowed }] : [];
  });
  return { block: block === undefined ? undefined : counted.at(-1), low: low.at(-1) };
}

/** Pumping sends messages that nobody completes. */
function isPumped({ sent, completed }: VelocityCounts): boolean {
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

function noRoom(
  { what, strangers, ends_at }: Limited,
  { kind }: Contact,
  at: number,
  deps: GuardDeps,
): GatewayError {
  const [reason = what] = what.split(":");
  if (reason === kind) return codesOfAddress(kind, ends_at - at, deps);
  if (strangers === undefined) return tooOften(reason, ends_at - at, deps);
  const budget = reason === "countries" ? "country" : reason;
  deps.log("warn", "sms_budget_low", { budget });
  return tooOften(budget, nextRefill(at) - at, deps);
}

function codesOfAddress(kind: ContactKind, wait_ms: number, deps: GuardDeps): GatewayError {
  const { word } = kindOf[kind];
  const message = `Your network asked for too many codes for this ${word}. Try again in ${waitInWords(wait_ms)}.`;
  return refused(kind, new GatewayError("sms_too_often", { message, wait_ms, reason: "codes_of_day" }), deps);
}

function tooOften(reason: string, wait_ms: number, deps: GuardDeps): GatewayError {
  const message = `Too many messages were asked for. Try again in ${waitInWords(wait_ms)}.`;
  return refused(reason, new GatewayError("sms_too_often", { message, wait_ms }), deps);
}

async function proofWanted(
  { ip }: SendRequest,
  more: number,
  at: number,
  deps: GuardDeps,
): Promise<GatewayError> {
  const task = { ip: addressOf(ip).ip, bits: bitsOf(more, deps) };
  const challenge = newChallenge(task, at, await deps.keys());
  const error = new GatewayError("invalid_request", {
    param: "human",
    message: "Solve the challenge in `human`, and send the request again with its answer.",
    human: { challenge, bits: task.bits },
  });
  return refused("human", error, deps);
}
