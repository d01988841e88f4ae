/** Random histories of imports and withdrawals, against a list in which the last bill that is left has each day. */
import { expect, test } from "vitest";
import type { BillWithdrawal, HeldBill } from "#shared/books/reports/bills/bill.ts";
import { billsOfDay } from "#shared/books/reports/bills/in-force.ts";
import { importBill, listBills, withdrawBill } from "#shared/edges/operator/bills.ts";
import { seeded } from "#test/support/random.ts";

const start = Date.parse("2026-12-01T00:00:00Z");
const days = Array.from({ length: 8 }, (_, at) => `2026-11-0${at + 1}`);
const columns = [["requests"], ["requests", "output_tokens"], ["output_tokens"]];

/** Bills in memory. */
function createRecords() {
  const held = new Map<string, HeldBill>();
  const marks = new Map<string, BillWithdrawal>();
  return {
    held,
    marks,
    kept: async () =>
      [...held.values()].map(({ head }) => {
        const { provider, id } = head;
        return { provider, id, head, withdrawal: marks.get(id) };
      }),
    lines: async ({ id }: { id: string }) => [...(held.get(id)?.lines ?? [])],
    async write(bill: HeldBill) {
      const isNew = !held.has(bill.head.id);
      if (isNew) held.set(bill.head.id, bill);
      return isNew;
    },
    async find(id: string) {
      const head = held.get(id)?.head;
      return head && { provider: head.provider, id };
    },
    async withdraw(mark: BillWithdrawal) {
      const before = marks.get(mark.id);
      marks.set(mark.id, before ?? mark);
      return { done: !before, withdrawal: before ?? mark };
    },
  };
}

/** A bill of the model: what it was made of, and whether it was withdrawn. */
interface Listed {
  id: string;
  text: string;
  first: number;
  last: number;
  tells: readonly string[];
  withdrawn: boolean;
}

/** Who has each day and each thing that is told: the last bill that is left. */
function ownersOf(all: readonly Listed[]): string[] {
  return days.flatMap((day, at) =>
    ["requests", "output_tokens"].flatMap((name) => {
      const owner = all.findLast(
        ({ withdrawn, first, last, tells }) =>
          !withdrawn && first <= at && at <= last && tells.includes(name),
      );
      return owner ? [`${day} ${name} ${owner.id}`] : [];
    }),
  );
}

async function play(seed: number): Promise<void> {
  const random = seeded(seed);
  const records = createRecords();
  const all: Listed[] = [];
  for (let step = 0; step < 25; step++) {
    const now = start + step;
    const [chosen] = [all[random(all.length + 1)]];
    if (chosen && random(2) === 0) {
      const words = { id: chosen.id, by: "ann", why: `step ${step}`, withdrawn_at: now };
      const { done } = await withdrawBill(words, records);
      expect(done).toBe(!chosen.withdrawn);
      chosen.withdrawn = true;
    } else {
      const [one, other] = [random(days.length), random(days.length)];
      const [first, last] = [Math.min(one, other), Math.max(one, other)];
      const tells = columns[random(columns.length)] ?? [];
      const rows = [first, last].map((at) => [days[at], "a", ...tells.map(() => random(3))].join());
      const text = chosen?.text ?? [["day", "model", ...tells].join(), ...rows].join("\n");
      const document = { provider: "acme", format: "csv" as const, text, file: "a.csv", now };
      const before = ownersOf(all);
      const { imported, bill, replaces_days } = await importBill(document, records);
      const known = all.find((each) => each.text === text && !each.withdrawn);
      expect(imported).toBe(known === undefined);
      if (known) expect(bill.id).toBe(known.id);
      else all.push({ ...(chosen ?? { first, last, tells }), id: bill.id, text, withdrawn: false });
      // What it says that it takes is what others had before and it has now.
      const after = new Set(ownersOf(all));
      const lost = before.filter((line) => !after.has(line)).map((line) => line.split(" "));
      const told = replaces_days.flatMap(({ bill: of, days: own }) => own.map((day) => `${day} ${of}`));
      expect(told.sort()).toEqual([...new Set(lost.map(([day, , of]) => `${day} ${of}`))].sort());
    }
    const counting = [...records.held.values()].filter(({ head }) => !records.marks.has(head.id));
    const owners = days.flatMap((day) =>
      [...billsOfDay(counting, day, "").told].flatMap(([name, each]) =>
        each.map(({ now: { head } }) => `${day} ${name} ${head.id}`),
      ),
    );
    expect(owners.sort()).toEqual(ownersOf(all).sort());
  }
  const listed = await listBills({}, records);
  expect(listed.map(({ id, withdrawn }) => [id, withdrawn !== undefined])).toEqual(
    all.toReversed().map(({ id, withdrawn }) => [id, withdrawn]),
  );
}

test("each day has the last bill that is left, whatever was imported and withdrawn", async () => {
  for (let seed = 1; seed <= 200; seed++) await play(seed);
});
