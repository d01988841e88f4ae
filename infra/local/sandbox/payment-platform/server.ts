/** The sandbox: one server on loopback that plays Alipay, WeChat Pay and Stripe (README.md). */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { listen } from "../../emulators/listen.ts";
import { createLocalServer } from "../../emulators/loopback.ts";
import { alipayAnswer, alipayNotice } from "./alipay.ts";
import type { Notice, PlatformDeps, SandboxAnswer, SandboxRequest } from "./answer.ts";
import { LateKeys } from "./keys.ts";
import { Notices } from "./notices.ts";
import { cardPage, pageHeaders, pageStyle, payPage, tradesPage } from "./pay-page.ts";
import { Cards } from "./saved-cards.ts";
import { StripeAnswers, stripeNotice } from "./stripe.ts";
import {
  type CardKind,
  cardKinds,
  type OpenSandbox,
  type PaymentWay,
  type SandboxOptions,
  type Trade,
  ways,
} from "./trade.ts";
import { Trades } from "./trades.ts";
import { wechatAnswer, wechatNotice } from "./wechat.ts";

const requestBytesMax = 256 * 1024;

/** When a late notice comes, in seconds of the platforms' time. By then a QR code has ended. */
const lateSeconds = 20 * 60;

/** Starts the sandbox with keys of its own, which are made when somebody needs them. Rejects when the port is taken. */
export async function openPaymentPlatform({
  notifyUrl,
  port = 0,
  noticeScale = 0.05,
  now = Date.now,
}: SandboxOptions): Promise<OpenSandbox> {
  let url = "";
  const keys = new LateKeys(() => url);
  const trades = new Trades(now);
  const cards = new Cards();
  const notices = new Notices(noticeScale, now);
  const deps: PlatformDeps = {
    get keys() {
      return keys.made;
    },
    trades,
    cards,
    cardPage: (reference) => `${url}/card/${reference}`,
    tell: (trade) => void notices.send(trade, () => noticeOf(trade)),
    payPage: (reference) => `${url}/pay/${reference}`,
    now,
  };
  const noticeOf = (trade: Trade, forged = false): Notice => {
    if (trade.channel === "alipay") return alipayNotice(trade, deps, forged);
    if (trade.channel === "wechat") return wechatNotice(trade, deps, forged);
    return stripeNotice(trade, notifyUrl("stripe"), deps, forged);
  };
  const act = (trade: Trade, way: PaymentWay) => actOn(trade, way, { trades, notices, noticeOf });
  const answers = createAnswers(deps, act);
  const answerOf: AnswerOf = async (request) => {
    await keys.settings();
    return await answers(request);
  };
  const server = createLocalServer((request, response) => void respond(request, response, answerOf));
  const listening = await listen(server, port);
  url = listening.url;
  const known = (order: string) => tradeOf(order, trades);
  return {
    url,
    makeSettings: () => keys.settings(),
    trades: () => trades.all(),
    pay: async (order, way = "pay") => await act(known(order), way),
    saveCard: (address, kind = "good") => cards.saveAt(address, kind),
    forgetCustomer: (customer) => cards.forget(customer),
    payByBank: async (order) => {
      trades.payByBank(known(order));
      await notices.send(known(order), () => noticeOf(known(order)));
    },
    settleBank: async (order, answer) => {
      trades.settleBank(known(order), answer);
      await notices.send(known(order), () => noticeOf(known(order)));
    },
    async payBack(order, amount) {
      const trade = known(order);
      const booked = trades.refund(trade, `re_${randomUUID()}`, amount ?? trade.amount);
      if (typeof booked === "string") throw new Error(booked);
      // WeChat Pay tells of a refund only where its own settings say.
      if (trade.channel !== "wechat") await notices.send(trade, () => noticeOf(trade));
    },
    async sendNotice(order) {
      const trade = known(order);
      return await notices.sendOnce(trade, noticeOf(trade));
    },
    async stop() {
      notices.stop();
      await listening.stop();
    },
  };
}

function tradeOf(order: string, trades: Trades): Trade {
  const trade = trades.find(order);
  if (!trade) throw new Error(`the sandbox knows no order ${order}`);
  return trade;
}

interface Acting {
  trades: Trades;
  notices: Notices;
  noticeOf: (trade: Trade, forged?: boolean) => Notice;
}

/** Does what a customer chose. Resolves when the first calls about it were answered. */
async function actOn(trade: Trade, way: PaymentWay, { trades, notices, noticeOf }: Acting): Promise<void> {
  if (way === "probe") {
    await notices.sendOnce(trade, noticeOf(trade, true));
    return;
  }
  const other = trade.amount > 1 ? trade.amount - 1 : trade.amount + 1;
  trades.pay(trade, way === "pay_another_amount" ? other : trade.amount);
  const make = () => noticeOf(trade);
  if (way === "lose_notice") return;
  if (way === "late_notice") return notices.sendAfter(lateSeconds, trade, make);
  const calls = way === "notice_twice" ? 2 : 1;
  await Promise.all(Array.from({ length: calls }, () => notices.send(trade, make)));
}

type AnswerOf = (request: SandboxRequest) => SandboxAnswer | Promise<SandboxAnswer>;

function createAnswers(deps: PlatformDeps, act: (trade: Trade, way: PaymentWay) => Promise<void>): AnswerOf {
  const stripe = new StripeAnswers(deps);
  return (request) => {
    const { method, path } = request;
    if (path === "/gateway.do" && method === "POST") return alipayAnswer(request, deps);
    if (path.startsWith("/v3/")) return wechatAnswer(request, deps);
    if (path.startsWith("/v1/")) return stripe.answer(request);
    return pageAnswer(request, deps, act);
  };
}

/** The pages that people open. */
async function pageAnswer(
  { method, path, body }: SandboxRequest,
  { trades, cards }: PlatformDeps,
  act: (trade: Trade, way: PaymentWay) => Promise<void>,
): Promise<SandboxAnswer> {
  const html = (text: string) => ({ status: 200, headers: pageHeaders, body: text });
  if (path === "/" && method === "GET") return html(tradesPage(trades.all()));
  if (path === "/style.css") return { status: 200, headers: { "content-type": "text/css" }, body: pageStyle };
  const page = cards.pages.get(/^\/card\/(\w+)$/.exec(path)?.[1] ?? "");
  if (page && method !== "POST") return html(cardPage(page));
  if (page) {
    const kind = new URLSearchParams(body).get("kind") ?? "";
    if (Object.hasOwn(cardKinds, kind) && page.method === undefined) cards.save(page, kind as CardKind);
    return { status: 303, headers: { ...pageHeaders, location: path }, body: "" };
  }
  const trade = trades.findBy("reference", /^\/pay\/(\w+)$/.exec(path)?.[1] ?? "");
  if (!trade) return { status: 404, headers: pageHeaders, body: "not found" };
  // A code that has ended makes no trade any more.
  if (trade.state === "open") trade.scanned = true;
  if (method !== "POST") return html(payPage(trade));
  const way = new URLSearchParams(body).get("way") ?? "";
  // Whoever presses twice finds the order paid.
  if (Object.hasOwn(ways, way) && trade.state === "open") await act(trade, way as PaymentWay);
  return { status: 303, headers: { ...pageHeaders, location: path }, body: "" };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answerOf: AnswerOf,
): Promise<void> {
  response.on("error", () => {});
  try {
    const [path = "", query = ""] = (request.url ?? "").split(/\?(.*)/s);
    const { method = "", headers } = request;
    const answer = await answerOf({ method, path, query, headers, body: await textOf(request) });
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  } catch (error) {
    // What the sandbox does not understand, such as JSON that is none.
    response.writeHead(400, { "content-type": "text/plain" });
    response.end(error instanceof Error ? error.message : String(error));
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > requestBytesMax) throw new Error("the request is too large");
  }
  return Buffer.concat(pieces).toString("utf8");
}
