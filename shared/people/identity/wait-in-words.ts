import { hourMs } from "../../books/billing/period.ts";

/** A wait of so many milliseconds as a reader is told it: in minutes, and above an hour in hours, rounded up. */
export function waitInWords(wait_ms: number): string {
  const [count, unit] = wait_ms > hourMs ? [wait_ms / hourMs, "hour"] : [wait_ms / 60_000, "minute"];
  const whole = Math.ceil(count);
  return whole === 1 ? `1 ${unit}` : `${whole} ${unit}s`;
}
