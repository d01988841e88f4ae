/** Somebody who signs up at the console of a local gateway, orders there, and pays in the sandbox. */
import { createHash } from "node:crypto";
import type { PaymentWay } from "#infra/local/sandbox/payment-platform/trade.ts";
import type { LocalGateway } from "../support/local.ts";

/** What the answers have of the interface, as far as shoppers look. */
interface Answer {
  id: string;
  access_token: string;
  state: string;
  qr_code: string;
  user: { id: string };
  organization: { id: string };
}

export interface Shopper {
  user: string;
  organization: string;
  /** Asks a route such as `GET /api/v1/recharges`. Rejects unless it succeeds. */
  ask(route: string, body?: object): Promise<Answer>;
  /** Orders points by Alipay, such as "100.00" CNY, and pays or not. Gives the order's id once the console knows. */
  order(amount: string, way?: PaymentWay): Promise<string>;
}

/** Signs up with the code in the inbox of `npm start`. */
export async function openShopper(
  gateway: Pick<LocalGateway, "console_url"> & { endpoints: Pick<LocalGateway["endpoints"], "inbox"> },
  phone: string,
  name: string,
): Promise<Shopper> {
  let token = "";
  const ask: Shopper["ask"] = async (route, body) => {
    const [method = "", path = ""] = route.split(" ");
    const answer = await fetch(`${gateway.console_url}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        "idempotency-key": createHash("sha256")
          .update(`${route} ${JSON.stringify(body)}`)
          .digest("hex"),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${route} answered ${answer.status} ${text}`);
    return (text === "" ? {} : JSON.parse(text)) as Answer;
  };
  await ask("POST /api/v1/auth/code", { phone });
  const inbox = await fetch(`${gateway.endpoints.inbox}/inbox.json?phone=${encodeURIComponent(phone)}`);
  const { data } = (await inbox.json()) as { data: { code: string }[] };
  const signedUp = await ask("POST /api/v1/auth/sign-up", { phone, code: data[0]?.code, name });
  token = signedUp.access_token;

  const order: Shopper["order"] = async (amount, way) => {
    const { id, qr_code } = await ask("POST /api/v1/recharges", { amount, channel: "alipay" });
    if (way === undefined) return id;
    const form = new URLSearchParams({ way });
    // The sandbox answers once the console has taken its call.
    const paid = await fetch(qr_code, { method: "POST", body: form, redirect: "manual" });
    if (paid.status !== 303) throw new Error(`the page of ${id} answered ${paid.status}`);
    return id;
  };
  return { user: signedUp.user.id, organization: signedUp.organization.id, ask, order };
}
