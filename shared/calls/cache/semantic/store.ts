/** The store of the semantic level, as gateway and learner need it (README.md "What is kept"). */
import type { ContextCounts, ContextEvidence } from "./evidence.ts";

/** Where pages and evidence of a context are kept, and whose statistics count it. Scope and context are keyed hashes. */
export interface ContextPlace {
  /** Whose it is (`keys.ts`). */
  scope: string;
  /** Everything of a call but its question, in this scope (`keys.ts`). */
  context: string;
  organization: string;
  /** The project of the key, "" where it has none. */
  project: string;
}

/** What is added to the evidence of a context. */
export type EvidenceAddition = Partial<ContextCounts>;

/** A page as it is stored. The version is what the next write must name. */
export interface StoredPage {
  bytes: Buffer;
  version: number;
}

/** Every method may fail: then a call asks its provider, and nothing else changes. */
export interface SemanticStore {
  /** All pages of a context by their names, and its evidence, in one query. It may be a second old. */
  read(place: ContextPlace): Promise<{ pages: Map<string, StoredPage>; evidence: ContextEvidence }>;
  /** One page, with everything that was written. Undefined where there is none. */
  readPage(place: ContextPlace, page: string): Promise<StoredPage | undefined>;
  /** Puts a page in the place of the one with this version; 0 says there is none. Gives false where there is another. */
  putPage(place: ContextPlace, page: string, next: StoredPage & { until: number }): Promise<boolean>;
  /** Adds to the evidence and to the statistics of this month, and gives the evidence as it then is. */
  count(place: ContextPlace, added: EvidenceAddition, now: number): Promise<ContextEvidence>;
  /** As `count`, once for each audited call, however often it is told. */
  countAudit(
    place: ContextPlace,
    audit: { request: string; verdict: "agreed" | "refuted" },
    now: number,
  ): Promise<ContextEvidence>;
  /** Switches the context off until an instant, Unix milliseconds; false where it is off. Its evidence begins anew. */
  switchOff(place: ContextPlace, until: number, now: number): Promise<boolean>;
}
