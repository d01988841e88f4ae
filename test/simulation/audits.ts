/** The product's own audit, which a simulated world is asked to pass at many instants and in the end. */
import { type AuditDeps, look } from "#shared/edges/audit/audit.ts";
import { createKeptBooks } from "#shared/edges/store/audited.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import type { World } from "./world.ts";

/** What the audit says of time: before the end, calls, tasks and fees may be left behind without a sweep or a pass. */
const inTime = new Set(["holds_end", "tasks_end", "fees_are_posted"]);
const hourMs = 3_600_000;

export class Audits {
  readonly #world: World;
  /** What the last audit saw, and what it found. */
  #last = { seen: "", found: [] as string[] };

  constructor(world: World) {
    this.#world = world;
  }

  /** Audits while the world moves, ever more rarely. Nothing is drawn for it: it changes nothing that happens. */
  plan(seed: number): void {
    for (let after = 5 + (seed % 97); after < hourMs; after *= 1.7)
      this.#world.scheduler.after(after, null, () => void this.audit(false));
  }

  /**
   * Audits at any instant: every message there is lies open to it. What is forgotten, or lost with its queue, is for the
   * end: here a sweep comes when it is drawn, and at once.
   */
  async audit(atRest = true): Promise<void> {
    const { scheduler, cloud, books } = this.#world;
    // An audit is a process too, so one that finds what the last one found counts as well.
    const deps = this.deps();
    // Beside what is left to the end, the audit looks at the clock only for the days that budgets are counted by.
    const hour = Math.floor(scheduler.now / hourMs);
    const seen = [atRest, hour, books.writes, ...cloud.messages.keys()].join(" ");
    if (seen !== this.#last.seen) {
      const { invariants } = await look(deps);
      const wrong = invariants.filter(({ holds, name }) => !holds && (atRest || !inTime.has(name)));
      this.#last = { seen, found: wrong.map(({ name, detail }) => `audit ${name}: ${detail}`) };
    }
    books.violation(...this.#last.found);
  }

  /** What an audit of the world reads. */
  deps(): AuditDeps {
    const { scheduler, cloud, quietly } = this.#world;
    const deadLetters = [...cloud.messages.values()].map(({ id, body }) => ({
      id,
      body,
      organization: undefined,
      sent_at: scheduler.now,
    }));
    const queue = { depth: async () => 0, deadLetters: async () => ({ deadLetters, unread: 0 }) };
    const kept = createKeptBooks(awsOverMemory(cloud.db), cloud.db.tables, () => scheduler.now);
    return { ...quietly, kept, queue };
  }
}
