/** Customers of a local gateway, and whether ledger, report and balance agree about what each of them has spent. */
import { connectLocally } from "#infra/operator/connection.ts";
import { readSecret } from "#shared/base/platform/secrets.ts";
import { formatPoints, parsePoints } from "#shared/books/billing/points.ts";
import type { Entry } from "#shared/books/ledger/ledger.ts";
import { createLedger } from "#shared/edges/store/ledger/ledger.ts";
import { type Customer, openCustomer } from "./customer.ts";
import { balanceOf, type LocalGateway, operator } from "./local.ts";

export interface SessionBooks {
  /** Opens a customer; its wallet has `amount`, or the points of these books. */
  customer(amount?: string): Promise<Customer>;
  /** The entries of a customer's calls. The ledger is read once after each audit, so it must be asked behind one. */
  entries(customer: Customer): Promise<Entry[]>;
  /**
   * Says how a customer's ledger, report and balance disagree, given how many calls were answered; nothing if they
   * agree. It must be asked behind an audit.
   */
  disagreement(customer: Customer, calls: number): Promise<string | undefined>;
  /** The audit's problems, or nothing. It waits until all is settled. */
  audit(): Promise<string | undefined>;
}

/** Opens the books of a gateway whose customers begin with `points`, a decimal string. */
export async function openBooks(gateway: LocalGateway, points: string): Promise<SessionBooks> {
  const { aws, tables, pepperSecretArn } = connectLocally(gateway.readyFile);
  const pepper = await readSecret(aws, pepperSecretArn);
  const ledger = createLedger(aws, tables);
  let booked: Entry[] | undefined;
  const entries = async ({ organization }: Customer) => {
    booked ??= await Array.fromAsync(ledger.everyEntry());
    return booked.filter((entry) => entry.organization === organization && entry.event !== null);
  };
  return {
    customer: (amount = points) => openCustomer({ aws, tables, pepper }, amount),
    entries,
    async disagreement(customer, calls) {
      const own = await entries(customer);
      const total = formatPoints(own.reduce((sum, entry) => sum + parsePoints(entry.points), 0n));
      const { cost_points, calls: reported } = await totalsOf(gateway, customer.key);
      const paid = formatPoints(parsePoints(points) - parsePoints(await balanceOf(gateway, customer.key)));
      const sums = { ledger: total, report: cost_points, balance: paid };
      if (new Set(Object.values(sums)).size > 1) return `costs disagree: ${JSON.stringify(sums)}`;
      if (reported !== calls) return `${calls} calls were answered and ${reported} are in the report`;
      return calls === 0 ? "no call was answered" : undefined;
    },
    async audit() {
      booked = undefined;
      const { value, code } = await operator(gateway, "audit");
      const isClean = code === 0 && value.ok === true && value.pending === false;
      return isClean ? undefined : JSON.stringify(value);
    },
  };
}

async function totalsOf({ url }: LocalGateway, key: string): Promise<{ cost_points: string; calls: number }> {
  const hour = 3_600_000;
  const [from, to] = [Date.now() - hour, Date.now() + hour].map((at) => new Date(at).toISOString());
  const query = new URLSearchParams({ from: from ?? "", to: to ?? "" });
  const reply = await fetch(`${url}/api/business/v1/customer/usage?${query}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return ((await reply.json()) as { totals: { cost_points: string; calls: number } }).totals;
}
