/** Automatic top-up: what is charged without a person (shared/people/payments/auto-top-up.md). */
import type { Row } from "../guard.ts";

const unit = "shared/people/orders/top-ups";
const routes = "shared/edges/console/operations/auto-top-up";
const stripe = "shared/people/payments/stripe/cards";

export const topUps: Row[] = [
  {
    id: "topups-1",
    test: `${unit} › a process that has read the settings before makes no order`,
    guard: "[hasRevision(revision), ...when]",
    without: "when",
  },
  {
    id: "topups-2",
    test: `${unit} › holds where a pass has read the month before another one filled it`,
    guard: "update({ ...monthChange(table, order, order.amount), when: [room] }),",
    without: "update(monthChange(table, order, order.amount)),",
  },
  {
    id: "topups-3",
    test: `${unit} › counts an order that closes no more`,
    guard: 'const closed = order.state === "closed" && !order.doubt ? { closed: order } : {};',
    without: "const closed = {};",
  },
  {
    id: "topups-4",
    test: `${unit} › an order of an organization that is frozen meanwhile is not charged`,
    guard:
      'if (organization?.status !== "active" || !isChargeable(topUp) || topUp.order !== order.id) return false;',
    without: "if (!isChargeable(topUp) || topUp.order !== order.id) return false;",
  },
  {
    id: "topups-5",
    test: `${unit} › by %s pauses at once`,
    guard: "const waitMs = retry ? consoleLimits.topUpRetriesMs[known] : undefined;",
    without: "const waitMs = consoleLimits.topUpRetriesMs[known];",
  },
  {
    id: "topups-6",
    test: `${unit} › for now is tried again an hour and a day later, and then pauses`,
    guard: "const failures = known + 1;",
    without: "const failures = 1;",
  },
  {
    id: "topups-7",
    test: `${unit} › a removal whose platform is silent charges nothing, and goes on with the next request`,
    guard: 'if (!before.card || before.removing) throw invalidState("There is no card. Add one first.");',
    without: 'if (!before.card) throw invalidState("There is no card. Add one first.");',
  },
  {
    id: "topups-8",
    test: `${routes} › adds no card and turns nothing on, and may turn off and remove`,
    guard: "  requireRecent(call, deps);\n  if (callerOf(call).organization",
    without: "  if (callerOf(call).organization",
  },
  {
    id: "topups-9",
    test: `${routes} › adds no card and turns nothing on, and may turn off and remove`,
    guard: "  requireRecent(call, deps);\n  const return_url",
    without: "  const return_url",
  },
  {
    id: "topups-10",
    test: `${stripe} › a page is no answer, whichever part of the question is another one's`,
    guard: "session.metadata?.organization === organization &&",
    without: "",
  },
  {
    id: "topups-11",
    test: `${stripe} › opening it again gives the same payment, and who lost its id finds it by customer and order`,
    guard: "const found = intents.find(({ metadata }) => metadata.order === id);",
    without: "const found = undefined as CardPayment | undefined;",
  },
  {
    id: "topups-12",
    test: `${unit}-unwanted › after %s`,
    guard: "if (!isSame || terms.amount !== order.amount) return false;",
    without: "if (!isSame) return false;",
  },
  {
    id: "topups-13",
    test: `${unit}-unwanted › after a freeze that ended, or when a person closes it`,
    guard:
      "const isUnwanted = !topUp.is_on || order.declined?.code === unwanted.code || order.doubt !== undefined;",
    without: "const isUnwanted = !topUp.is_on;",
  },
];
