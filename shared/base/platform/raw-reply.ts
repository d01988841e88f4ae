/** A reply as it came: its headers are bytes until somebody asks for them. Nobody asks for those of AWS. */
import type { IncomingReply, ReplyHeaders } from "./http-call.ts";
import type { ReplyBody } from "./reply-body.ts";

/** A reply with its headers as bytes: a name, its value, the next name, and so on. */
export class RawReply implements IncomingReply {
  readonly status: number;
  readonly body: ReplyBody;
  readonly #raw: readonly Buffer[];
  #headers: ReplyHeaders | undefined;

  constructor(status: number, raw: readonly Buffer[], body: ReplyBody) {
    this.status = status;
    this.#raw = raw;
    this.body = body;
  }

  get headers(): ReplyHeaders {
    this.#headers ??= headersOf(this.#raw);
    return this.#headers;
  }
}

/** The headers of bytes in which each name is followed by its value. */
function headersOf(raw: readonly Buffer[]): ReplyHeaders {
  const headers: Record<string, string> = {};
  for (let i = 1; i < raw.length; i += 2) {
    const name = (raw[i - 1]?.toString("latin1") ?? "").toLowerCase();
    const value = raw[i]?.toString("latin1") ?? "";
    const before = headers[name];
    headers[name] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}
