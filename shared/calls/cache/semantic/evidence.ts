/** What a context has shown: verdicts of the judge on its pairs, and of audits on its hits (README.md "Evidence"). */
import { bounds } from "./bounds.ts";

/** What is counted of a context, and summed up by months. A wrong answer that a customer reports counts as refuted. */
export interface ContextCounts {
  /** Questions that were embedded, and those of them for which the rules left an entry. */
  lookups: number;
  candidates: number;
  /** Verdicts of the judge on a call's way. */
  confirmed: number;
  denied: number;
  /** Verdicts of audits. */
  agreed: number;
  refuted: number;
}

export const noCounts: ContextCounts = {
  lookups: 0,
  candidates: 0,
  confirmed: 0,
  denied: 0,
  agreed: 0,
  refuted: 0,
};

export interface ContextEvidence extends ContextCounts {
  /** Until when the context is off, Unix milliseconds; 0 where it never was. */
  off_until: number;
}

/** A context that nobody has asked yet. */
export const noEvidence: ContextEvidence = { ...noCounts, off_until: 0 };

/** Whether pairs need no judge (README.md "Evidence"). Verdicts of the judge and of audits count alike. */
export function isTrusted({ confirmed, denied, agreed, refuted }: ContextEvidence): boolean {
  const wrong = denied + refuted;
  const all = wrong + confirmed + agreed;
  return all > 0 && atMost(wrong, all, bounds.wrongShareMax) <= 1 - bounds.trustConfidence;
}

/** The share of hits, 0 to 1, that are wrong at most, with 95 % confidence. Without audits it is 1. */
export function boundOf({ agreed, refuted }: ContextEvidence): number {
  const audits = agreed + refuted;
  if (agreed === 0) return 1;
  let [low, high] = [0, 1];
  while (high - low > 1e-9) {
    const share = (low + high) / 2;
    if (atMost(refuted, audits, share) > 1 - bounds.trustConfidence) low = share;
    else high = share;
  }
  return high;
}

/** Whether a context is off at an instant, Unix milliseconds: its calls ask no embedder and no judge. */
export function isOff({ off_until }: ContextEvidence, now: number): boolean {
  return off_until > now;
}

/** Until when a context must be off: hits were refuted, or lookups find too little. Undefined where all is fine. */
export function offUntil(evidence: ContextEvidence, now: number): number | undefined {
  return isRefuted(evidence) || isIdle(evidence) ? now + bounds.offMs : undefined;
}

/** With 75 % confidence more than 2 % of hits are wrong: 1 of 14 audits, or 2 of 48. A day without hits costs little. */
function isRefuted({ agreed, refuted }: ContextEvidence): boolean {
  if (refuted === 0) return false;
  const fewer = atMost(refuted - 1, agreed + refuted, bounds.wrongShareMax);
  return 1 - fewer <= 1 - bounds.offConfidence;
}

function isIdle({ lookups, candidates }: ContextEvidence): boolean {
  return lookups >= bounds.lookupsMin && candidates < lookups * bounds.candidateShareMin;
}

/** How likely `hits` or fewer of `all` are, where each is one with probability `share`: the binomial distribution. */
function atMost(hits: number, all: number, share: number): number {
  if (hits >= all || share <= 0) return 1;
  if (share >= 1) return 0;
  let log = logChoose(all, hits) + hits * Math.log(share) + (all - hits) * Math.log1p(-share);
  let sum = 0;
  for (let count = hits; count >= 0; count--) {
    const term = Math.exp(log);
    sum += term;
    // From here on the terms fall faster than a geometric series, and add nothing.
    if (count < share * all && term < sum * 1e-17) break;
    log += Math.log(count) - Math.log(all - count + 1) + Math.log1p(-share) - Math.log(share);
  }
  return Math.min(1, sum);
}

function logChoose(all: number, some: number): number {
  return logFactorial(all) - logFactorial(some) - logFactorial(all - some);
}

/** ln n!, by Stirling's series; exact for the first numbers. */
function logFactorial(n: number): number {
  if (n < 20) {
    let product = 1;
    for (let factor = 2; factor <= n; factor++) product *= factor;
    return Math.log(product);
  }
  const x = n + 1;
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3);
}
