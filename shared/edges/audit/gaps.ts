/** The gaps that a walk through the books finds, by the invariant that they break. */
import type { InvariantName } from "./invariants.ts";

/** A report shows a few gaps of each invariant, and more than these are not kept. */
const gapsMax = 1000;

export class Gaps {
  readonly found: Partial<Record<InvariantName, string[]>>;

  constructor(found: Gaps["found"] = {}) {
    this.found = found;
  }

  add(invariant: InvariantName, gaps: readonly string[]): void {
    if (gaps.length === 0) return;
    this.found[invariant] ??= [];
    const own = this.found[invariant];
    own.push(...gaps.slice(0, gapsMax - own.length));
  }

  /** Takes over what was found elsewhere. */
  take({ found }: Gaps): void {
    for (const [invariant, gaps] of Object.entries(found)) this.add(invariant as InvariantName, gaps);
  }

  of(invariant: InvariantName): string[] {
    return this.found[invariant] ?? [];
  }
}
