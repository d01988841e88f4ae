/** Mails are turned off by the link in one of them: for its person, organization and group alone, and by no GET. */
import { expect, test } from "vitest";
import { tellNews } from "#shared/edges/jobs/tell-news.ts";
import { unsubscribeUrl } from "#shared/people/news/unsubscribe.ts";
import { rotatedSecret } from "#test/support/members.ts";
import { openMails } from "#test/support/news-mails.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const consoleUrl = "https://console.example.com";
let opens = 0;

async function opened(locale: "en" | "zh" = "en") {
  const place = openMails(db);
  const { desk } = place;
  // A day of its own, so that no run finds what another test has left.
  desk.clock.now += ++opens * 86_400_000 * 2;
  const acme = await desk.newOrganization({ name: "A<b>cme" });
  const ann = await place.newMailed(acme, "owner", "Ann", locale);
  const mailed = async (subject = "ord_1") => {
    await place.happen(acme, { kind: "order_credited", subject });
    await tellNews(desk.news);
  };
  await mailed();
  const mail = place.mailbox.sent.at(-1)?.mail;
  const link = /^<(.+)>$/.exec(mail?.headers?.["List-Unsubscribe"] ?? "")?.[1] ?? "";
  // Whoever opens it is nobody: the link is all that they have.
  const ask = async (method: "GET" | "POST", url = link) =>
    await desk.visit(`${method} ${url.slice(consoleUrl.length)}`, method === "POST" ? one : "");
  const levels = async () => (await desk.deps.members.membership(acme.id, ann.user.id))?.mails ?? {};
  return { ...place, acme, ann, mail, link, ask, levels, mailed };
}
const one = "List-Unsubscribe=One-Click";

test("a mail has the link in its headers and in its text, and one POST turns its group off", async () => {
  const { mail, link, ask, levels, mailed, mailbox } = await opened();
  expect(mail?.headers?.["List-Unsubscribe-Post"]).toBe(one);
  expect(mail?.text).toContain(link);
  expect(link.length).toBeLessThan(800);
  const page = await ask("POST");
  expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  expect(page.text).toContain("You get no more mails about money of “A&lt;b>cme”.");
  expect(await levels()).toEqual({ money: "none" });
  await mailed("ord_2");
  expect(mailbox.sent).toHaveLength(1);
});

test("a GET shows a button in the person's language, and changes nothing", async () => {
  for (const [locale, button] of [
    ["en", "Turn them off"],
    ["zh", "停止接收"],
  ] as const) {
    const { ask, levels } = await opened(locale);
    const page = await ask("GET");
    expect([page.status, page.text.includes(button)]).toEqual([200, true]);
    expect(page.text).toContain(`<html lang="${locale}">`);
    expect(page.text).not.toMatch(/<script|src=|<b>/);
    expect(page.headers["content-security-policy"]).toContain("default-src 'none'; form-action 'self'");
    expect(await levels()).toEqual({});
  }
});

test("a repeated POST changes nothing more, and other choices stay", async () => {
  const { desk, acme, ann, ask, levels } = await opened();
  const path = "PATCH /api/v1/account/mails";
  await desk.ask([ann, acme], path, { keys: "all" });
  for (let times = 0; times < 3; times++) expect((await ask("POST")).status).toBe(200);
  expect(await levels()).toEqual({ money: "none", keys: "all" });
});

test("what nobody of us has made is not found, whatever is wrong with it", async () => {
  const { desk, acme, ann, link, ask, levels } = await opened();
  const { current } = await desk.deps.keys();
  const scope = { user: ann.user.id, organization: acme.id, group: "money", locale: "en" } as const;
  const foreign = unsubscribeUrl(consoleUrl, scope, { ...current, mails: current.webhooks });
  const [start, box = ""] = link.split("/1.");
  const turned = `${start}/1.${box.slice(0, -2)}${box.at(-2) === "A" ? "B" : "A"}${box.at(-1)}`;
  const base = `${consoleUrl}/api/v1/mails/unsubscribe`;
  const wrong = [
    ...[foreign, turned, `${start}/2.${box}`, `${base}/x`, `${base}/1.`, `${base}/1.AAAA`],
    ...[`${base}/1.${"A".repeat(700)}`, `${base}/${ann.user.id}`, link.slice(0, -4)],
  ];
  for (const url of wrong)
    for (const method of ["GET", "POST"] as const) {
      const { status, text } = await ask(method, url);
      expect([url, status, text.includes("40400")]).toEqual([url, 404, true]);
    }
  expect(await levels()).toEqual({});
});

test("a link still works after a rotation of the accounts' secret, while its version is there", async () => {
  const { desk, ask, levels } = await opened();
  desk.secret.known = rotatedSecret;
  expect((await ask("POST")).status).toBe(200);
  expect(await levels()).toEqual({ money: "none" });
});

test("of who has left nothing changes, and the page says the same", async () => {
  const { desk, acme, ann, newMailed, ask } = await opened();
  const bea = await newMailed(acme, "owner", "Bea");
  expect((await desk.ask([bea, acme], `DELETE /api/v1/members/${ann.user.id}`)).status).toBe(200);
  expect((await ask("POST")).text).toContain("You get no more mails");
  expect(await desk.deps.members.membership(acme.id, ann.user.id)).toBeUndefined();
});
