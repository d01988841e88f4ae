/**
 * Answers that do not count: changed, unsigned, late, cut or none. Each becomes 50005 within the bound, and the log says
 * why without quoting anything.
 */
import { createServer, type IncomingMessage, type ServerResponse, request as sendRequest } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Listening, listen } from "#infra/local/emulators/listen.ts";
import { consoleLimits } from "#shared/base/console-limits.ts";
import { newId } from "#shared/base/platform/id.ts";
import type { PayableOrder, PaymentPlatform } from "#shared/people/payments/platform.ts";
import { type Merchant, startMerchant } from "#test/support/merchant.ts";

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What stands between the merchant and the sandbox does with an answer. It may also write by itself. */
type Tamper = (answer: Answer, response: ServerResponse, request: IncomingMessage) => Answer | undefined;

let tamper: Tamper | undefined;
let proxy: Listening;
let merchant: Merchant;

const proxied = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  const answer = await forwarded(request, Buffer.concat(pieces));
  const given = tamper ? tamper(answer, response, request) : answer;
  if (!given) return;
  response.writeHead(given.status, given.headers);
  response.end(given.body);
});

function forwarded({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const target = new URL(url ?? "", merchant.sandbox.url);
    const outgoing = sendRequest(target, { method, headers }, async (incoming) => {
      const pieces: Buffer[] = [];
      for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece);
      const { "content-length": _, "transfer-encoding": __, connection: ___, ...kept } = incoming.headers;
      resolve({
        status: incoming.statusCode ?? 0,
        headers: kept as Record<string, string>,
        body: Buffer.concat(pieces).toString("utf8"),
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

beforeAll(async () => {
  proxy = await listen(proxied, 0);
  merchant = await startMerchant({
    edit: ({ alipay, wechat, stripe }) => ({
      alipay: { ...alipay, base_url: proxy.url },
      wechat: { ...wechat, base_url: proxy.url },
      stripe: { ...stripe, base_url: proxy.url },
    }),
  });
});

afterAll(async () => {
  await merchant.stop();
  await proxy.stop();
});

beforeEach(() => {
  tamper = undefined;
  merchant.lines.length = 0;
});

const unsure = { key: "payment_platform" };
const changed =
  (from: RegExp | string, to: string): Tamper =>
  (answer) => ({ ...answer, body: answer.body.replace(from, to) });
const withHeaders =
  (headers: Record<string, string>): Tamper =>
  (answer) => ({ ...answer, headers: { ...answer.headers, ...headers } });

const someRefund = () => ({
  id: newId("refund", Date.now()),
  order: merchant.order(),
  transaction: "pi_1",
  amount: 100,
  reason: "asked for",
});

describe.each(["alipay", "wechat", "stripe"] as const)("%s", (channel) => {
  let platform: PaymentPlatform;
  let paid: PayableOrder & { reference?: string };

  beforeAll(async () => {
    tamper = undefined;
    platform = await merchant.channel(channel);
    const order = merchant.order({
      currency: platform.currencies[0] ?? "",
      notify_url: merchant.notifyUrl(channel),
    });
    paid = { ...order, ...(await platform.open(order)) };
    await merchant.sandbox.pay(paid.id, "lose_notice");
  });

  const refund = () => ({
    id: newId("refund", Date.now()),
    order: paid,
    transaction: merchant.sandbox.trades().find(({ order }) => order === paid.id)?.transaction ?? "",
    amount: 100,
    reason: "asked for",
  });

  /** Every call that asks the platform. */
  const calls = (): [name: string, call: () => Promise<unknown>][] => [
    ["open", () => platform.open(merchant.order({ currency: platform.currencies[0] ?? "" }))],
    ["query", () => platform.query(paid)],
    ["close", () => platform.close(paid)],
    ["refund", () => platform.refund(refund())],
    ["query refund", () => platform.queryRefund(refund())],
  ];

  const refused = async (tampering: Tamper, only: string[] = []): Promise<void> => {
    tamper = tampering;
    for (const [name, call] of calls()) {
      if (only.length > 0 && !only.includes(name)) continue;
      const outcome = await call().then(
        (result) => ({ name, result }),
        (error: unknown) => error,
      );
      expect(outcome, name).toMatchObject(unsure);
    }
    expect(merchant.lines.length).toBeGreaterThan(0);
    for (const line of merchant.lines)
      expect(line).toMatchObject({ event: "platform_failed", channel, level: "warn" });
  };

  test("a query is answered when nothing is in its way", async () => {
    expect(await platform.query(paid)).toMatchObject({ state: "paid" });
    expect(merchant.lines).toEqual([]);
  });

  test.each([400, 500, 502, 503])(
    "status %i with a page instead of an answer counts for nothing",
    async (status) => {
      await refused(() => ({ status, headers: { "content-type": "text/html" }, body: "<h1>Sorry</h1>" }));
    },
  );

  test("an empty body, cut JSON and another JSON count for nothing", async () => {
    await refused((answer) => ({ ...answer, status: 200, body: "" }), ["open", "query"]);
    await refused(
      (answer) => ({ ...answer, status: 200, body: answer.body.slice(0, -5) }),
      ["open", "query"],
    );
    await refused((answer) => ({ ...answer, status: 200, body: "[]" }), ["open", "query"]);
    await refused((answer) => ({ ...answer, status: 200, body: "null" }), ["open", "query"]);
  });

  test("a redirect is not followed", async () => {
    const asked: string[] = [];
    await refused((_, __, { url = "" }) => {
      asked.push(url);
      return { status: 307, headers: { location: `${merchant.sandbox.url}${url}` }, body: "" };
    });
    expect(asked.length).toBe(merchant.lines.length);
  });

  test("a connection that breaks counts for nothing", async () => {
    await refused((_, response) => void response.destroy());
    await refused((answer, response) => {
      response.writeHead(200, { ...answer.headers, "content-length": "1000000" });
      response.write(answer.body);
      setImmediate(() => response.destroy());
      return undefined;
    });
  });

  test("an answer that is too large counts for nothing", async () => {
    const padding = " ".repeat(consoleLimits.platformAnswerBytesMax);
    await refused((answer) => ({ ...answer, body: padding + answer.body }));
  });

  test("the log quotes no key", async () => {
    await refused(() => ({ status: 500, headers: {}, body: "x" }));
    const written = JSON.stringify(merchant.lines);
    const secrets = JSON.stringify(merchant.sandbox.settings[channel]).match(/\w{24,}/g) ?? [];
    expect(secrets.length).toBeGreaterThan(0);
    expect(secrets.filter((secret) => written.includes(secret))).toEqual([]);
  });
});

test("who does not answer, or never ends, is given up after 5 seconds", async () => {
  const timers = new Set<NodeJS.Timeout>();
  const modes: Tamper[] = [
    () => undefined,
    (_, response) => {
      response.writeHead(200);
      timers.add(setInterval(() => response.write(" "), 200));
      return undefined;
    },
  ];
  let next = 0;
  tamper = (...given) => modes[next++ % modes.length]?.(...given);
  const started = performance.now();
  const platforms = await Promise.all((["alipay", "wechat", "stripe"] as const).map(merchant.channel));
  const asked = [...platforms, ...platforms].map((platform) => platform.queryRefund(someRefund()));
  const outcomes = await Promise.allSettled(asked);
  const waited = performance.now() - started;
  for (const timer of timers) clearInterval(timer);
  expect(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason)).toMatchObject(
    outcomes.map(() => unsure),
  );
  expect(next).toBe(6);
  expect(waited).toBeGreaterThan(consoleLimits.platformAnswerMs - 100);
  expect(waited).toBeLessThan(consoleLimits.platformAnswerMs + 1_500);
});

describe("signed answers", () => {
  let alipay: PaymentPlatform;
  let wechat: PaymentPlatform;

  const openOn = async (platform: PaymentPlatform) => {
    const order = merchant.order({ notify_url: merchant.notifyUrl(platform.channel) });
    await platform.open(order);
    return order;
  };

  beforeAll(async () => {
    alipay = await merchant.channel("alipay");
    wechat = await merchant.channel("wechat");
  });

  test.each<[string, Tamper, object?]>([
    ["a changed state", changed("WAIT_BUYER_PAY", "TRADE_SUCCESS")],
    ["a changed signature", changed(/"sign":"..../, '"sign":"AAAA')],
    ["no signature", changed(/,"sign":"[^"]*"/, "")],
    ["an empty signature", changed(/"sign":"[^"]*"/, '"sign":""')],
    ["a signature that is no text", changed(/"sign":"[^"]*"/, '"sign":{}')],
    [
      "a further answer before the signed one",
      changed('{"alipay', '{"error_response":{"code":"40004","sub_code":"ACQ.TRADE_NOT_EXIST"},"not_alipay'),
      { state: "pending" },
    ],
    [
      "a further answer after the signed one",
      changed(
        ',"sign"',
        ',"alipay_trade_query_response":{"code":"10000","trade_status":"TRADE_SUCCESS"},"sign"',
      ),
    ],
  ])("Alipay's with %s is not read otherwise than it was signed", async (_, tampering, read = unsure) => {
    const order = await openOn(alipay);
    await merchant.scan(order.id);
    tamper = tampering;
    const outcome = await alipay.query(order).catch((error: unknown) => error);
    expect(outcome).toMatchObject(read);
  });

  test("an answer about another order counts for nothing", async () => {
    for (const platform of [alipay, wechat]) {
      const [asked, other] = [await openOn(platform), await openOn(platform)];
      for (const { id } of [asked, other]) await merchant.sandbox.pay(id, "lose_notice");
      let kept: Answer | undefined;
      tamper = (answer) => {
        kept ??= answer;
        return kept;
      };
      expect(await platform.query(other)).toMatchObject({ state: "paid" });
      await expect(platform.query(asked)).rejects.toMatchObject(unsure);
      tamper = undefined;
    }
  });

  test.each<[string, Tamper]>([
    ["a changed state", changed("NOTPAY", "SUCCESS")],
    ["no signature", (answer) => ({ ...answer, headers: { "content-type": "application/json" } })],
    ["another nonce", withHeaders({ "wechatpay-nonce": "x" })],
    ["a time 400 s ago", withHeaders({ "wechatpay-timestamp": String(Math.floor(Date.now() / 1000) - 400) })],
    ["a key that is not known", withHeaders({ "wechatpay-serial": "PUB_KEY_ID_0" })],
    ["the signature of a probe", withHeaders({ "wechatpay-signature": "WECHATPAY/SIGNTEST/AAAA" })],
  ])("WeChat Pay's with %s counts for nothing", async (_, tampering) => {
    const order = await openOn(wechat);
    tamper = tampering;
    await expect(wechat.query(order)).rejects.toMatchObject(unsure);
  });

  test("WeChat Pay's error with a wrong signature counts for nothing, and one without counts", async () => {
    const never = merchant.order();
    tamper = withHeaders({ "wechatpay-nonce": "x" });
    await expect(wechat.query(never)).rejects.toMatchObject(unsure);
    tamper = (answer) => ({ ...answer, headers: { "content-type": "application/json" } });
    expect(await wechat.query(never)).toMatchObject({ state: "absent" });
  });
});
