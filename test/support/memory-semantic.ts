/** The semantic level's store in memory, with the conditions of the table; what is there can be read. */
import { type ContextEvidence, noEvidence } from "#shared/calls/cache/semantic/evidence.ts";
import type {
  ContextPlace,
  EvidenceAddition,
  SemanticStore,
  StoredPage,
} from "#shared/calls/cache/semantic/store.ts";

export interface MemorySemantic extends SemanticStore {
  /** By scope and context. */
  pages: Map<string, Map<string, StoredPage>>;
  evidence: Map<string, ContextEvidence>;
  /** Calls that were audited and counted. */
  audits: Set<string>;
  /** Calls of each method. */
  calls: Record<keyof SemanticStore, number>;
  /** What each method does first. */
  before: (method: keyof SemanticStore) => Promise<void>;
}

/** An empty store. */
export function createMemorySemantic(): MemorySemantic {
  const keyOf = ({ scope, context }: ContextPlace) => `${scope}/${context}`;
  const calls = { read: 0, readPage: 0, putPage: 0, count: 0, countAudit: 0, switchOff: 0 };
  const begin = async (method: keyof SemanticStore) => {
    calls[method] += 1;
    await store.before(method);
  };
  const pagesOf = (place: ContextPlace) => store.pages.get(keyOf(place)) ?? new Map<string, StoredPage>();
  const evidenceOf = (place: ContextPlace) => store.evidence.get(keyOf(place)) ?? noEvidence;
  const add = (place: ContextPlace, added: EvidenceAddition): ContextEvidence => {
    const known = evidenceOf(place);
    const sums = Object.entries(added).map(([name, count]) => [
      name,
      known[name as keyof EvidenceAddition] + count,
    ]);
    const next = { ...known, ...Object.fromEntries(sums) };
    store.evidence.set(keyOf(place), next);
    return next;
  };
  const store: MemorySemantic = {
    pages: new Map(),
    evidence: new Map(),
    audits: new Set(),
    calls,
    before: async () => {},
    async read(place) {
      await begin("read");
      return { pages: new Map(pagesOf(place)), evidence: evidenceOf(place) };
    },
    async readPage(place, page) {
      await begin("readPage");
      return pagesOf(place).get(page);
    },
    async putPage(place, page, { bytes, version }) {
      await begin("putPage");
      if ((pagesOf(place).get(page)?.version ?? 0) !== version) return false;
      store.pages.set(keyOf(place), pagesOf(place).set(page, { bytes, version: version + 1 }));
      return true;
    },
    async count(place, added) {
      await begin("count");
      return add(place, added);
    },
    async countAudit(place, { request, verdict }) {
      await begin("countAudit");
      if (store.audits.has(request)) return evidenceOf(place);
      store.audits.add(request);
      return add(place, { [verdict]: 1 });
    },
    async switchOff(place, until, now) {
      await begin("switchOff");
      const { off_until } = evidenceOf(place);
      const isOn = off_until <= now;
      store.evidence.set(keyOf(place), { ...noEvidence, off_until: isOn ? until : off_until });
      return isOn;
    },
  };
  return store;
}
