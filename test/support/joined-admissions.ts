/** Wallets whose calls are admitted in ticks that a test ends, and admissions whose requests and answers are lost. */
import { expect } from "vitest";
import { AwsError, ThrottledError } from "#shared/base/platform/aws.ts";
import { TransportError } from "#shared/base/platform/http-client.ts";
import type { Admission } from "#shared/books/meters/admission.ts";
import type { Hold, Ticket } from "#shared/books/meters/hold.ts";
import type { Meters } from "#shared/books/meters/meter.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { createMeters } from "#shared/edges/store/meters/meters.ts";
import { awsOverMemory } from "./aws-over.ts";
import { createMemoryDynamoDb } from "./memory-dynamodb.ts";
import { noon, settlement, walletHold } from "./store.ts";

interface Update {
  UpdateExpression: string;
  ConditionExpression: string;
  ExpressionAttributeNames: Record<string, string>;
  ReturnValues?: string;
}

/** What becomes of one attempt at an admission; those that are not named go well. */
export type Fate = "answer lost" | "arrives later" | "throttled" | "done";

/** A point. */
export const point = 10n ** 18n;

/** Two wallets of ten points, and a subscription, with calls that are joined. */
export class JoinedAdmissions {
  /** The attempts at updates that took holds, in order. */
  readonly writes: Update[] = [];
  readonly ticks: (() => void)[] = [];
  readonly late: (() => object)[] = [];
  fates: Fate[] = [];
  readonly meters: Meters;
  readonly #db = createMemoryDynamoDb();

  constructor() {
    const aws = awsOverMemory(this.#db, this.#play, 4);
    this.meters = createMeters(aws, this.#db.tables, (act) => void this.ticks.push(act));
  }

  async open(): Promise<void> {
    const ledger = createLedger(awsOverMemory(this.#db), this.#db.tables);
    for (const meter of ["mtr_1", "mtr_2"]) {
      await this.meters.open(meter, 0, "payg");
      await ledger.credit({ organization: "org_1", meter, reference: meter, at: noon, points: 10n * point });
    }
    await this.meters.open("mtr_plan", 0, "subscription");
  }

  readonly #play = (act: () => object, action: string, input: Update): object => {
    // An admission begins with a hold that it sets.
    const isAdmission = action === "UpdateItem" && /^[hv]/.test(input.ExpressionAttributeNames["#0"] ?? "");
    if (isAdmission) this.writes.push(input);
    const fate = isAdmission ? this.fates.shift() : undefined;
    if (fate === "throttled") throw new ThrottledError("ThrottlingException", 400, {});
    if (fate === "arrives later") this.late.push(act);
    if (fate === "answer lost") act();
    if (fate === "answer lost" || fate === "arrives later")
      throw new TransportError("sent", new Error("timeout"));
    return act();
  };

  endTick(): void {
    for (const tick of this.ticks.splice(0)) tick();
  }

  /** Admits all of them in one tick. */
  async admitAll(wanted: Hold[]): Promise<Admission[]> {
    const admitting = wanted.map((hold) => this.meters.admit(hold));
    this.endTick();
    return await Promise.all(admitting);
  }

  /** Settles each in a tick of its own. */
  async settleEach(tickets: Ticket[]): Promise<void> {
    for (const ticket of tickets) {
      const settling = this.meters.settle(ticket, settlement({ points: point / 10n }));
      this.endTick();
      expect(await settling).toBe(true);
    }
  }

  /** How many holds each attempt was to take. */
  sizes(): number[] {
    const isHold = (name: string) => /^[hv]/.test(name);
    return this.writes.map((write) => Object.values(write.ExpressionAttributeNames).filter(isHold).length);
  }

  async meter(id = "mtr_1"): Promise<{ avail: bigint | undefined; holds: number | undefined }> {
    const item = await this.meters.readMeter(id, 0);
    return { avail: item?.avail, holds: item?.holds.size };
  }

  /** Lets arrive what was late, and expects that it does nothing. */
  arriveLate(): void {
    expect(this.late.length).toBeGreaterThan(0);
    for (const act of this.late) expect(act).toThrow(AwsError);
  }
}

/** Holds that need not see the item. */
export function holds(count: number, points = "1", meter = "mtr_1"): Hold[] {
  return Array.from({ length: count }, () => {
    const hold = walletHold(meter, points);
    return { ...hold, request: `${hold.request.slice(0, -1)}1` };
  });
}

export function outcomes(admissions: Admission[]): string[] {
  return admissions.map((each) => (each.admitted ? "admitted" : each.error));
}

/** The tickets of those that were admitted. */
export function ticketsOf(admissions: Admission[]): Ticket[] {
  return admissions.flatMap((each) => (each.admitted ? [each.ticket] : []));
}
