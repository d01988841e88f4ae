/** What is typed into the console, and what the address says: as the API is asked. */
import { describe, expect, test } from "vitest";
import { consolePages } from "#infra/bundles/console-pages.ts";
import { usualMode } from "../../console/billing-mode.ts";
import { browserNames } from "../../console/browser-name.ts";
import { callName, contactsOf, emailOf, phoneOf } from "../../console/contacts.ts";
import { choicesOf, defaultsOf } from "../../console/key-defaults.ts";
import { emptyForm, formOf, type KeyForm, keyBody, keyChange, wrongFields } from "../../console/key-form.ts";
import { pageAt } from "../../console/page.ts";
import { endOf } from "../../console/series.ts";
import { callsBehind, readUsageQuery, seriesParameters } from "../../console/usage-query.ts";

const now = Date.parse("2026-11-23T10:20:00Z");

test.each([
  ["+86", "138 0000 0000", "+8613800000000"],
  ["+86", "+86 138-0000-0000", "+8613800000000"],
  ["+86", "1380000000", undefined],
  ["+86", "23800000000", undefined],
  ["+852", "(5123) 4567", "+85251234567"],
  ["+1", "555", undefined],
  ["+86", "", undefined],
  ["+86", "138０0000000", undefined],
])("a phone of %s typed as %j is %j", (country, typed, phone) => {
  expect(phoneOf(country, typed)).toEqual(phone === undefined ? undefined : { phone });
});

test.each([
  [" ann@example.com ", "ann@example.com"],
  ["安@例子.测试", "安@例子.测试"],
  ["ann", undefined],
  ["ann@localhost", undefined],
  ["ann lee@example.com", undefined],
  ["ann@bob@example.com", undefined],
])("an address typed as %j is %j", (typed, email) => {
  expect(emailOf(typed)).toEqual(email === undefined ? undefined : { email });
});

test("somebody without a name goes by the address, else by the end of the phone", () => {
  const both = { phone_last_four: "8000", email_shown: "a…@example.com" };
  expect(contactsOf(both)).toEqual(["a…@example.com", "…8000"]);
  expect(callName({ name: "", ...both })).toBe("a…@example.com");
  expect(callName({ name: "", ...both, email_shown: null })).toBe("…8000");
  expect(callName({ name: "Ann", ...both })).toBe("Ann");
});

const free = { plan: "free", period: "monthly", ends_at: null, next: null } as const;
const ended = { ...free, ends_at: "2026-11-23T10:00:00Z" };
test.each([
  ["points and a plan", "0.000000000000000001", free, "payg"],
  ["an empty wallet and a plan", "0", free, "subscription"],
  ["a wallet in debt and a plan", "-1.5", free, "subscription"],
  ["an empty wallet and a plan that has ended", "0", ended, "payg"],
  ["an empty wallet alone", "0", null, "payg"],
  ["no wallet", null, free, "subscription"],
] as const)("with %s, a form proposes what can pay", (_, balance, plan, mode) => {
  const wallet = balance === null ? null : { balance_points: balance };
  expect(usualMode({ wallet, plan }, now)).toBe(mode);
});

test.each([
  [null, { allow_drop: "usual", cache_points: "usual", on_disconnect: "usual", tags: "" }],
  [
    { allow_drop: ["tools"] },
    { allow_drop: "tools", cache_points: "usual", on_disconnect: "usual", tags: "" },
  ],
  [{ cache_points: "off" }, { allow_drop: "usual", cache_points: "off", on_disconnect: "usual", tags: "" }],
  [
    { tags: "team=search" },
    { allow_drop: "usual", cache_points: "usual", on_disconnect: "usual", tags: "team=search" },
  ],
] as const)("the defaults %j are the choices %j, and back", (defaults, choices) => {
  expect(choicesOf(defaults as never)).toEqual(choices);
  expect(defaultsOf(choices)).toEqual(defaults ?? {});
});

describe("the form of a key", () => {
  const form = (over: Partial<KeyForm>): KeyForm => ({ ...emptyForm, ...over });

  test("asks for the least where nothing is typed", () => {
    expect(keyBody(form({ name: " search " }), now)).toEqual({ name: "search", billing_mode: "payg" });
  });

  test("asks for everything that is typed", () => {
    const all = form({
      ...{ name: "n", mode: "subscription", project: " p ", expiry: "week" },
      defaults: { allow_drop: "tools", cache_points: "usual", on_disconnect: "usual", tags: " team=search " },
      ...{ budget: "12.50", budgetPeriod: "month", concurrency: "2", rpm: "60", tpm: "1000", tpd: "5" },
    });
    expect(keyBody(all, now)).toEqual({
      ...{ name: "n", billing_mode: "subscription", project_id: "p" },
      expires_at: "2026-11-30T10:20:00.000Z",
      defaults: { allow_drop: ["tools"], tags: "team=search" },
      limits: {
        ...{ rpm: 60, tpm: 1000, tpd: 5, max_concurrency: 2 },
        ...{ budget_points: "12.50", budget_period: "month" },
      },
    });
  });

  test("leaves the plan's rates out of a key that the wallet pays for", () => {
    expect(keyBody(form({ rpm: "60", mode: "payg" }), now)).not.toHaveProperty("limits");
  });

  test("of a key that is there says what it has, and a change takes away what was emptied", () => {
    const key = {
      ...{ name: "n", billing_mode: "payg", project_id: "p", defaults: { cache_points: "off" } },
      limits: { max_concurrency: 2, budget_points: "12.5", budget_period: "month" },
    };
    const there = formOf(key as never);
    expect(there).toEqual(
      form({
        ...{
          name: "n",
          project: "p",
          expiry: "kept",
          concurrency: "2",
          budget: "12.5",
          budgetPeriod: "month",
        },
        defaults: { ...choicesOf(), cache_points: "off" },
      }),
    );
    const none = { allow_drop: null, on_disconnect: null, tags: null };
    expect(keyChange(there, now)).toEqual({
      ...{ name: "n", project_id: "p", defaults: { ...none, cache_points: "off" } },
      limits: { max_concurrency: 2, budget_points: "12.5", budget_period: "month" },
    });
    const emptied = { ...there, project: " ", concurrency: "", budgetPeriod: "none" } as const;
    expect(keyChange({ ...emptied, expiry: "never" }, now)).toMatchObject({
      ...{ project_id: null, expires_at: null },
      limits: { max_concurrency: null, budget_points: null, budget_period: null },
    });
  });

  test.each(["0", "-1", "1.5", "1e2", "many", "9999999999999"])("%s is no number of calls", (text) => {
    expect(wrongFields(form({ concurrency: text }))).toEqual(new Set(["concurrency"]));
  });

  test.each(["", "0", "0.00", "-1", "1e2", "1,5", "0.0000000000000000001"])("%j is no budget", (budget) => {
    expect(wrongFields(form({ budgetPeriod: "day", budget }))).toEqual(new Set(["budget"]));
    expect(wrongFields(form({ budgetPeriod: "none", budget }))).toEqual(new Set());
  });
});

describe("the address", () => {
  test("leads to every page, with what follows its path", () => {
    const pages = consolePages().map(([name, page]) => ({ group: "daily" as const, name, page }));
    for (const { name, page } of pages) expect(pageAt(pages, page.path)).toMatchObject({ name, rest: "" });
    expect(pageAt(pages, "/calls/req_1")).toMatchObject({ name: "calls", rest: "req_1" });
    expect(pageAt(pages, "/nothing")).toBeUndefined();
  });

  test("says what usage is asked for; what it says wrongly is the usual", () => {
    expect(readUsageQuery(new URLSearchParams("by=key&range=week"))).toEqual({ by: "key", range: "week" });
    expect(readUsageQuery(new URLSearchParams("by=x&range=y"))).toEqual({ by: "model", range: "month" });
    expect(readUsageQuery(new URLSearchParams("by=user&range=year"))).toEqual({ by: "user", range: "month" });
    expect(readUsageQuery(new URLSearchParams("by=tag:team&range=year"))).toEqual({
      ...{ by: "tag:team", range: "month" },
    });
    expect(readUsageQuery(new URLSearchParams("by=tag:"))).toMatchObject({ by: "model" });
  });

  test("a range ends with the running hour or day of UTC", () => {
    expect(seriesParameters({ by: "model", range: "day" }, now)).toEqual({
      ...{ by: "model", step: "hour" },
      ...{ from: "2026-11-22T11:00:00.000Z", to: "2026-11-23T11:00:00.000Z" },
    });
    expect(seriesParameters({ by: "key", range: "week" }, now)).toEqual({
      ...{ by: "key", step: "day" },
      ...{ from: "2026-11-17T00:00:00.000Z", to: "2026-11-24T00:00:00.000Z" },
    });
  });

  test("a bar leads to its calls, also one of no project; one without a name leads nowhere", () => {
    const bounds = { from: "2026-11-01T00:00:00.000Z", to: endOf("2026-11-01T00:00:00.000Z", "month") };
    const asked = (name: string | null) => {
      const path = callsBehind({ by: "project", name }, bounds);
      return path && Object.fromEntries(new URL(path, "http://console").searchParams);
    };
    expect(asked("a&b=c")).toEqual({ ...bounds, project: "a&b=c" });
    expect(asked("")).toEqual({ ...bounds, project: "" });
    expect(asked(null)).toBeUndefined();
    const tagged = callsBehind({ by: "tag:team", name: "a+b" }, bounds) ?? "";
    expect(new URL(tagged, "http://console").searchParams.get("tag")).toBe("team=a+b");
    expect(bounds.to).toBe("2026-12-01T00:00:00.000Z");
  });
});

test.each([
  ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/153.0.0.0 Safari/537.36", "Chrome", "macOS"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) Version/19.1 Safari/604.1", "Safari", "iPhone"],
  ["Mozilla/5.0 (Windows NT 10.0) Chrome/153.0 Safari/537.36 Edg/153.0", "Edge", "Windows"],
  ["curl/8.9", undefined, undefined],
])("%s is a browser by name", (label, browser, system) => {
  expect(browserNames(label)).toEqual({ browser, system });
});
