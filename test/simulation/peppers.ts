/**
 * A rotation of the pepper in the middle of a story. Processes read the secret at different times, so for a while some know
 * the new version and some do not. Then the version before is dropped, if no key needs it.
 */

import { type Peppers, readPeppers, writePeppers } from "#shared/base/platform/pepper.ts";
import type { SecretStore, SecretText } from "#shared/base/platform/secret-text.ts";
import type { Secrets } from "#shared/base/platform/secrets.ts";
import { dropPepper } from "#shared/edges/operator/pepper.ts";
import { rotated } from "#shared/edges/operator/secret-versions.ts";
import { keyOfOrganization, organizationKey } from "#shared/edges/store/dynamodb/item-keys.ts";
import { createKeyHashes } from "#shared/edges/store/key-hashes.ts";
import { awsOverMemory } from "#test/support/aws-over.ts";
import type { MemoryDynamoDb } from "#test/support/memory-dynamodb.ts";
import { pepper } from "./ports.ts";
import { Random } from "./random.ts";
import type { Key, World } from "./world.ts";

/** How old a process's copy of the secret gets, milliseconds: one after the other has another of these. */
const ages = [0, 300_000, 60_000];
const rotating = 0.12;
/** Chosen so that the seeds in which something was found last are not among those that rotate. */
const rotationSeeds = 3_000_000_261;

/** The secret with the pepper. */
export class PepperSecret implements SecretStore {
  #stored: SecretText;
  #processes = 0;
  readonly #now: () => number;
  readonly #change: (peppers: Peppers) => Peppers;

  /** `change` is what a mutant makes of what a process reads. */
  constructor(now: () => number, change: (peppers: Peppers) => Peppers = (peppers) => peppers) {
    this.#now = now;
    this.#change = change;
    this.#stored = { text: pepper, version: "0", written_at: now() };
  }

  async read(): Promise<SecretText> {
    return this.#stored;
  }

  async replace(before: SecretText, text: string): Promise<boolean> {
    if (before.version !== this.#stored.version) return false;
    this.#stored = { text, version: String(Number(before.version) + 1), written_at: this.#now() };
    return true;
  }

  /** The secrets as one process sees them. */
  ofProcess(): Secrets {
    const ageMs = ages[this.#processes++ % ages.length] ?? 0;
    const read = () => ({ peppers: this.#change(readPeppers(this.#stored.text)), at: this.#now() });
    let copy = read();
    return {
      async peppers(stale) {
        if (copy.peppers === stale || read().at - copy.at > ageMs) copy = read();
        return copy.peppers;
      },
      provider: async () => "secret",
      lacks: () => false,
    };
  }
}

/** Plans a rotation in some seeds, by chances of its own, so that it changes nothing of all others. */
export function planRotation(world: World, seed: number): void {
  const random = new Random(seed + rotationSeeds);
  if (!random.chance(rotating)) return;
  const { scheduler, pepperSecret: secret } = world;
  const act = (after: number, what: string, change: () => Promise<unknown>) =>
    scheduler.after(after, null, () => {
      scheduler.note(null, what);
      change().catch((error: unknown) => world.books.violation(`${what}: ${String(error)}`));
    });
  const at = random.between(0, random.pick([50, 5_000, 60_000, 600_000]));
  act(at, "the pepper is rotated", async () => {
    const before = await secret.read();
    await secret.replace(before, writePeppers(rotated(readPeppers(before.text), { value: "pepper 2" })));
  });
  const hashes = createKeyHashes(awsOverMemory(world.cloud.db), world.cloud.db.tables);
  act(at + 600_000 + random.between(0, 3_600_000), "the pepper before is dropped, if no key needs it", () =>
    dropPepper({ secret, hashes, now: () => scheduler.now }),
  );
}

/** Whether a key may be used, as far as its records say. */
export function isInForce(db: MemoryDynamoDb, { record, organization }: Key): boolean {
  const statusAt = ({ pk, sk }: ReturnType<typeof organizationKey>) =>
    db.items("keys").find((item) => item.pk?.S === pk?.S && item.sk?.S === sk?.S)?.status?.S;
  const [key, owner] = [keyOfOrganization(organization.id, record.id), organizationKey(organization.id)];
  return statusAt(key) === "active" && statusAt(owner) === "active";
}
