/** Payment platforms: whose word counts, and for how long we wait for it. */
import type { Row } from "#test/guards/guard.ts";

export const channels: Row[] = [
  {
    id: "channels-1",
    test: "shared/people/payments/alipay/notice › one %s is refused",
    guard: 'if (fields.sign_type !== "RSA2")',
    without: "if (false)",
  },
  {
    id: "channels-2",
    test: "shared/people/payments/alipay/notice › one with a further %s is refused before anything is read",
    guard: "if (fields.has(name)) throw",
    without: "if (false) throw",
  },
  {
    id: "channels-3",
    test: "shared/people/payments/alipay/notice › one whose fields were joined into one is refused",
    guard: "/&\\w+=/.test(value)",
    without: "false",
  },
  {
    id: "channels-4",
    test: "shared/people/payments/unsure-answers › Alipay's with %s is not read otherwise than it was signed",
    guard: 'sdk.checkResponseSign(body, name, sign, "");',
    without: "",
  },
  {
    id: "channels-5",
    test: "shared/people/payments/unsure-answers › Alipay's with %s is not read otherwise than it was signed",
    guard: "JSON.parse(sdk.getSignStr(body, name))",
    without: "(JSON.parse(body)[name] ?? JSON.parse(body).error_response)",
  },
  {
    id: "channels-6",
    test: "shared/people/payments/unsure-answers › an answer about another order counts for nothing",
    guard: " || answer.fields.out_trade_no !== order)",
    without: ")",
  },
  {
    id: "channels-7",
    test: "shared/people/payments/unsure-answers › an answer about another order counts for nothing",
    guard: "if (evidence?.order !== id)",
    without: "if (!evidence)",
  },
  {
    id: "channels-8",
    test: "shared/people/payments/requests › %s",
    guard: "timestamp: timeText(now()),",
    without: "",
  },
  {
    id: "channels-9",
    test: "shared/people/payments/wechat/notice › one %s is refused",
    guard: "if (Math.abs(at / 1000 - Number(timestamp)) > consoleLimits.noticeAgeSecondsMax)",
    without: "if (false)",
  },
  {
    id: "channels-10",
    test: "shared/people/payments/wechat/notice › one %s is refused",
    guard: "if (signature.startsWith(probePrefix)) return",
    without: "if (false) return",
  },
  {
    id: "channels-11",
    test: "shared/people/payments/unsure-answers › WeChat Pay's error with a wrong signature counts for nothing",
    guard: "if (ok || hasSignature(headers)) {",
    without: "if (ok) {",
  },
  {
    id: "channels-12",
    test: "shared/people/payments/unsure-answers › an empty body, cut JSON and another JSON count for nothing",
    guard: "if (session && (session.id !== reference || orderOf(session) !== id))",
    without: "if (false)",
  },
  {
    id: "channels-13",
    test: "shared/people/payments/stripe/notice › one %s is accepted, and is about no payment of ours",
    guard: 'if (!order?.startsWith("ord_")) return null;',
    without: "",
  },
  {
    id: "channels-14",
    test: "shared/people/payments/stripe/notice › one %s names it, so that it credits nothing",
    in: "stripe/evidence.ts",
    guard: "...(account && { account })",
    without: "",
  },
  {
    id: "channels-15",
    test: "shared/people/payments/unsure-answers › who does not answer, or never ends, is given up after 5 seconds",
    guard: "signal: AbortSignal.timeout(platformAnswerMs),",
    without: "",
  },
  {
    id: "channels-16",
    test: "shared/people/payments/settings › %s is refused with a sentence",
    guard: "if (otherUnits.has(currency))",
    without: "if (false)",
  },
  {
    id: "channels-17",
    test: "shared/people/payments/settings › %s is refused with a sentence",
    guard: "if (arePair(privateKey, publicKey))\n    throw",
    without: "if (false)\n    throw",
  },
  {
    id: "channels-18",
    test: "shared/people/payments/settings › what cannot be read is said without a word of it",
    guard: ': "another name";',
    without: ": id;",
  },
  {
    id: "channels-19",
    test: "shared/people/payments/channels › closes it once the bank has refused, because nobody can pay it any more",
    guard: 'return status === "complete" && refusedByBank.has(intent?.status ?? "") ? "closed" : "pending";',
    without: 'return "pending";',
  },
  {
    id: "channels-20",
    test: "shared/people/payments/channels › at %s is told, with the sum of it",
    guard: '["charge.refunded", evidenceOfCharge],',
    without: "",
  },
];
