/** Alipay's amounts and times, which are texts. */
import { formatMoney } from "../../../books/billing/money.ts";

/** An amount as Alipay writes it: yuan with two digits after the point. `fen` is a whole number. */
export function yuanText(fen: number): string {
  return formatMoney(fen, "CNY");
}

/** The fen in a text of yuan, exactly. Undefined if the text is anything but digits with at most two after a point. */
export function fenIn(yuan: string | undefined): number | undefined {
  const [, whole, fraction = ""] = /^(0|[1-9]\d{0,10})(?:\.(\d{1,2}))?$/.exec(yuan ?? "") ?? [];
  return whole === undefined ? undefined : Number(whole) * 100 + Number(fraction.padEnd(2, "0"));
}

/** Alipay's clock is 8 hours before UTC, wherever we run. */
const aheadMs = 8 * 3_600_000;

/** Unix milliseconds as Alipay writes a time, such as `2026-11-23 08:30:00`. */
export function timeText(at: number): string {
  return new Date(at + aheadMs).toISOString().slice(0, 19).replace("T", " ");
}

/** The Unix milliseconds of Alipay's time. Undefined if it is none. */
export function timeIn(text: string | undefined): number | undefined {
  const [, day, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)?$/.exec(text ?? "") ?? [];
  const at = Date.parse(`${day}T${time}Z`) - aheadMs;
  return Number.isNaN(at) ? undefined : at;
}
