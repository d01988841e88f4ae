/**
 * Requests to Alipay's gateway. Alipay's own package signs them and checks the answers. They are sent by our HTTP client,
 * because the one in the package follows redirects and has no bound on a whole answer (shared/people/payments/decisions.md).
 */
import { AlipaySdk } from "alipay-sdk";
import { type ChannelDeps, createPlatformCalls, type PlatformAnswer } from "../ask.ts";
import type { AlipaySettings } from "../settings.ts";
import { timeText } from "./amount.ts";

/** Fields that Alipay gave or that it is given. */
export type AlipayFields = Readonly<Record<string, string>>;

export interface AlipayAnswer {
  /** Whether Alipay did it: code 10000. */
  ok: boolean;
  /** Alipay's code, and its detailed one behind a space, such as `40004 ACQ.TRADE_NOT_EXIST`. */
  code: string;
  /** The detailed code, or an empty text. */
  subCode: string;
  /** The fields of the answer that are texts. */
  fields: Partial<AlipayFields>;
}

export interface AlipayClient {
  /** Calls a method, such as `alipay.trade.query`. Throws `payment_platform` unless the answer is Alipay's. */
  call(method: string, content: AlipayFields, notifyUrl?: string): Promise<AlipayAnswer>;
  /** Says why an answer does not help, and gives the error to throw. */
  failed(method: string, reason: string): Error;
  /** Whether fields of a notice, decoded once, have Alipay's signature. */
  isSigned(fields: AlipayFields): boolean;
}

/** The client of one merchant. */
export function createAlipayClient(settings: AlipaySettings, deps: ChannelDeps): AlipayClient {
  const { ask, failed } = createPlatformCalls("alipay", deps);
  const sdk = new AlipaySdk({
    appId: settings.appId,
    keyType: "PKCS8",
    // The package finds the last line of a key only where no line break follows it.
    privateKey: String(settings.privateKey.export({ type: "pkcs8", format: "pem" })).trim(),
    alipayPublicKey: String(settings.publicKey.export({ type: "spki", format: "pem" })).trim(),
  });
  return {
    failed,
    isSigned: (fields) => sdk.checkNotifySignV2(fields),
    async call(method, content, notifyUrl) {
      const request = requestOf(signedPieces(method, content, notifyUrl, { sdk, now: deps.now }), settings);
      const answer = await ask(method, request);
      const read = readAnswer(answer, method, sdk);
      if ("problem" in read) throw failed(method, read.problem);
      return read;
    },
  };
}

interface SigningDeps {
  sdk: AlipaySdk;
  now: () => number;
}

/** The parameters of a call with their signature, each as `name=value` of a form. */
function signedPieces(
  method: string,
  content: AlipayFields,
  notifyUrl: string | undefined,
  { sdk, now }: SigningDeps,
): string[] {
  const parameters = {
    // By itself the package takes the clock of this machine's time zone, which Alipay's is not.
    timestamp: timeText(now()),
    ...(notifyUrl !== undefined && { notify_url: notifyUrl }),
    bizContent: content,
  };
  return sdk.sdkExecute(method, parameters, { bizContentAutoSnakeCase: false }).split("&");
}

/** Alipay wants its own parameters in the address, and the content of the call in the body. */
function requestOf(pieces: string[], { baseUrl }: AlipaySettings) {
  const isContent = (piece: string): boolean => piece.startsWith("biz_content=");
  return {
    method: "POST",
    url: `${baseUrl}/gateway.do?${pieces.filter((piece) => !isContent(piece)).join("&")}`,
    headers: {
      "content-type": "application/x-www-form-urlencoded;charset=utf-8",
      accept: "application/json",
    },
    body: pieces.filter(isContent).join("&"),
  };
}

/** Reads an answer, of which only the text under the signature is parsed. */
function readAnswer(
  { status, body }: PlatformAnswer,
  method: string,
  sdk: AlipaySdk,
): AlipayAnswer | { problem: string } {
  if (status !== 200) return { problem: `HTTP ${status}` };
  const name = `${method.replaceAll(".", "_")}_response`;
  try {
    const { sign } = JSON.parse(body) as { sign?: unknown };
    if (typeof sign !== "string" || sign === "") return { problem: `no signature${codesIn(body)}` };
    sdk.checkResponseSign(body, name, sign, "");
    return answerOf(JSON.parse(sdk.getSignStr(body, name)) as Record<string, unknown>);
  } catch {
    // Messages of the package and of the parser quote the whole answer.
    return { problem: `no JSON with a right signature${codesIn(body)}` };
  }
}

/** What an answer that does not count says of itself, for whoever has to find the reason. */
function codesIn(body: string): string {
  const [, code] = /"sub_code":"([\w.-]{1,80})"/.exec(body) ?? /"code":"(\w{1,10})"/.exec(body) ?? [];
  return code === undefined ? "" : `; it says ${code}`;
}

function answerOf(written: Record<string, unknown>): AlipayAnswer {
  const texts = Object.entries(written).filter(([, value]) => typeof value === "string");
  const fields = Object.fromEntries(texts) as Partial<AlipayFields>;
  const { code = "", sub_code: subCode = "" } = fields;
  return { ok: code === "10000", code: `${code} ${subCode}`.trim(), subCode, fields };
}
