/** Requests to WeChat Pay, API version 3: signed, and with answers that are checked. */
import { objectIn } from "../../../base/json/fields.ts";
import { type ChannelDeps, createPlatformCalls, type PlatformAnswer } from "../ask.ts";
import type { WechatSettings } from "../settings.ts";
import { authorization, checkSignature, hasSignature } from "./signature.ts";

export interface WechatAnswer {
  /** Whether WeChat Pay did it. */
  ok: boolean;
  /** WeChat Pay's code of an error, or an empty text. */
  code: string;
  /** The fields of the answer; empty where it has no body. */
  fields: Readonly<Record<string, unknown>>;
}

interface WechatRequest {
  method: "GET" | "POST";
  /** The path with its query. */
  path: string;
  content?: object;
}

interface WechatClient {
  /** Sends a request. `operation` names it in the log. Throws `payment_platform` unless the answer is WeChat Pay's. */
  call(operation: string, request: WechatRequest): Promise<WechatAnswer>;
  /** Says why an answer does not help, and gives the error to throw. */
  failed(operation: string, reason: string): Error;
}

/** The client of one merchant. */
export function createWechatClient(settings: WechatSettings, deps: ChannelDeps): WechatClient {
  const { ask, failed } = createPlatformCalls("wechat", deps);
  return {
    failed,
    async call(operation, { method, path, content }) {
      const body = content === undefined ? "" : JSON.stringify(content);
      const answer = await ask(operation, {
        method,
        url: `${settings.baseUrl}${path}`,
        headers: {
          accept: "application/json",
          // WeChat Pay wants a client to name itself.
          "user-agent": "model-gateway",
          // Asks for a signature by this key.
          "wechatpay-serial": settings.publicKeyId,
          authorization: authorization({ method, path, body }, settings, deps.now()),
          ...(content !== undefined && { "content-type": "application/json" }),
        },
        body,
      });
      const read = readAnswer(answer, settings, deps.now());
      if ("problem" in read) throw failed(operation, read.problem);
      return read;
    },
  };
}

/** Reads an answer. A success must be signed; an error may have no signature, but never a wrong one. */
function readAnswer(
  { status, headers, body }: PlatformAnswer,
  { publicKeys }: WechatSettings,
  at: number,
): WechatAnswer | { problem: string } {
  const ok = status >= 200 && status < 300;
  if (ok || hasSignature(headers)) {
    const check = checkSignature(headers, Buffer.from(body), publicKeys, at);
    if (!check.right) return { problem: `HTTP ${status}, ${check.reason}` };
  }
  const fields = body === "" ? {} : objectIn(body);
  if (!fields || (!ok && status < 400)) return { problem: `HTTP ${status}, not understood` };
  const code = ok ? "" : String(fields.code ?? `HTTP ${status}`);
  return { ok, code, fields };
}
