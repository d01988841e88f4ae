/** Closes a month of a running gateway, as an operator does. */
import { expect } from "vitest";
import { operator } from "./local.ts";

/** The month before the last one: it is over for two hours, whatever the hour is now. */
export function monthBeforeLast(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2)).toISOString().slice(0, 7);
}

/** Closes that month, although other tests may make calls meanwhile. Gives what the command says. */
export async function closeMonthBeforeLast(gateway: Parameters<typeof operator>[0]) {
  const month = monthBeforeLast();
  const accepted = ["--accept", "nothing_is_on_its_way", "--reason", "other tests make calls"];
  const { code, value, error } = await operator(gateway, "month", "close", month, ...accepted);
  expect([code, error]).toEqual([0, ""]);
  return { month, outcome: value as { sha256: string; summary: object } };
}
