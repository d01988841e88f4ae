/** Cards that Stripe keeps: the page where one is saved, and its removal (auto-top-up.md). */
import type { Stripe } from "stripe";
import type { SavedCard } from "../auto-top-up.ts";
import type { CardPageRequest, CardPlatform } from "../platform.ts";
import { orNone } from "./known.ts";

/** Makes a page of Checkout that charges nothing, and the organization's customer where there is none. */
export async function openCardPage(
  { organization, customer: known, return_url }: CardPageRequest,
  sdk: Stripe,
): Promise<Awaited<ReturnType<CardPlatform["openPage"]>>> {
  const metadata = { organization };
  const isThere = known !== undefined && (await isCustomer(known, sdk));
  // Stripe answers a key once a day. The customer that takes the place of a deleted one needs another.
  const made = { idempotencyKey: ["customer", organization, ...(known ? [known] : [])].join("-") };
  const customer = isThere ? known : (await sdk.customers.create({ metadata }, made)).id;
  const { id, url } = await sdk.checkout.sessions.create({
    mode: "setup",
    // A card is charged or declined at once. A bank may answer after days.
    allowed_payment_method_types: ["card"],
    ...{ customer, metadata, client_reference_id: organization },
    ...{ success_url: return_url, cancel_url: return_url },
  });
  if (!url) throw new Error("no page");
  return { customer, reference: id, url };
}

/** Whether Stripe still has a customer. Somebody may have deleted it there, or the stage has another account now. */
async function isCustomer(id: string, sdk: Stripe): Promise<boolean> {
  const customer = await orNone(sdk.customers.retrieve(id));
  return customer !== undefined && !customer.deleted;
}

/** What became of a page. Throws where it is not this organization's, or not of this account. */
export async function cardOfPage(
  { organization, customer, reference }: Parameters<CardPlatform["cardOf"]>[0],
  mode: "live" | "test",
  sdk: Stripe,
): Promise<SavedCard | "open" | "over"> {
  const expand = ["setup_intent.payment_method"];
  const session = await sdk.checkout.sessions.retrieve(reference, { expand });
  const isOurs =
    session.id === reference &&
    session.mode === "setup" &&
    session.livemode === (mode === "live") &&
    session.metadata?.organization === organization &&
    idOf(session.customer) === customer;
  if (!isOurs) throw new Error("an answer about something else");
  if (session.status === "open") return "open";
  const { setup_intent } = session;
  const intent = typeof setup_intent === "object" ? setup_intent : null;
  if (session.status !== "complete" || intent?.status !== "succeeded") return "over";
  const method = typeof intent.payment_method === "object" ? intent.payment_method : null;
  if (!method?.card || idOf(method.customer) !== customer || idOf(intent.customer) !== customer)
    throw new Error("a card of somebody else");
  const { brand, last4, exp_month, exp_year } = method.card;
  const expires = `${exp_year}-${String(exp_month).padStart(2, "0")}`;
  return { customer, method: method.id, brand, last_four: last4, expires };
}

/** Detaches every card of a customer, also those of pages that nobody asked about. A customer who is gone has none. */
export async function detachCards(customer: string, sdk: Stripe): Promise<void> {
  if (!(await isCustomer(customer, sdk))) return;
  for await (const { id } of sdk.customers.listPaymentMethods(customer, { limit: 100 }))
    await orNone(sdk.paymentMethods.detach(id));
}

function idOf(of: string | { id: string } | null): string | undefined {
  return typeof of === "string" ? of : of?.id;
}
