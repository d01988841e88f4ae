/** Mails of news leave one after the other, no more than a run has places for, so that codes find room. */
import { expect, test } from "vitest";
import { newsLimits } from "#shared/people/news/bounds.ts";
import { createMailPace } from "#shared/people/news/mail-pace.ts";

test("mails go one at a time, each after a pause, also after one that failed", async () => {
  const order: string[] = [];
  const pace = createMailPace(async (ms) => void order.push(`pause ${ms}`));
  const send = (name: string) => async () => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
    if (name === "b") throw new Error("no");
  };
  const all = await Promise.allSettled(["a", "b", "c"].map((name) => pace.inTurn(send(name))));
  expect(all.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  const wait = `pause ${newsLimits.mailGapMs}`;
  const [a, b, c] = ["a", "b", "c"].map((name) => [`${name} begins`, `${name} ends`]);
  expect(order.slice(0, 8)).toEqual([...(a ?? []), wait, ...(b ?? []), wait, ...(c ?? [])]);
});

test("a run has so many places for mails, and one organization a part of them", () => {
  const pace = createMailPace(async () => {});
  const taken = (organization: string) => {
    let count = 0;
    while (pace.take(organization)) count += 1;
    return count;
  };
  const { mailsOfRunMax, mailsOfOrganizationMax } = newsLimits;
  expect(taken("org_1")).toBe(mailsOfOrganizationMax);
  const others = Array.from({ length: 9 }, (_, nth) => taken(`other_${nth}`));
  expect(others.reduce((sum, count) => sum + count, mailsOfOrganizationMax)).toBe(mailsOfRunMax);
});
