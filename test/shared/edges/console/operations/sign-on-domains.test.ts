/** Domains: how an organization proves one, how it loses it, and that each belongs to one organization. */
import { describe, expect, test } from "vitest";
import { codeOf, newBrowser, newDomain, refusalOf, useSignOn } from "#test/support/sign-on.ts";
import { useStores } from "#test/support/stores.ts";

const { db } = useStores();
const desk = useSignOn(db);

const dayMs = 86_400_000;

describe("domains", () => {
  test("are proved by the record that the claim shows, and not before it is there", async () => {
    const domain = newDomain();
    const { browser } = await desk.newOwner();
    const claimed = await desk.ask(browser, "POST /api/v1/domains", { domain: domain.toUpperCase() });
    const { record } = claimed.body;
    expect(claimed.body).toMatchObject({
      ...{ id: domain, proved: false, seen_at: null },
      record: {
        name: `_gateway-challenge.${domain}`,
        type: "TXT",
        value: expect.stringMatching(/^gateway-domain=[\w-]{24}$/),
      },
    });
    const check = () => desk.ask(browser, `POST /api/v1/domains/${domain}/check`);
    expect(refusalOf(await check())).toEqual([40910, "domain_unproved"]);
    desk.provider.records.set(record.name, ["v=spf1 -all", `${record.value}x`]);
    expect(refusalOf(await check())).toEqual([40910, "domain_unproved"]);
    desk.provider.records.set(record.name, ["v=spf1 -all", record.value]);
    expect((await check()).body).toMatchObject({ proved: true });
    expect((await check()).status).toBe(200);
    const again = await desk.ask(browser, "POST /api/v1/domains", { domain });
    expect(again.body.record).toEqual(record);
  });

  test.each(["gmail.com", "QQ.com", "example", "127.0.0.1", "a b.example", "-a.example", "a..example", ""])(
    "%j cannot be claimed",
    async (domain) => {
      const { browser } = await desk.newOwner();
      expect(codeOf(await desk.ask(browser, "POST /api/v1/domains", { domain }))).toBe(40000);
    },
  );

  test("belong to one organization, as long as its record is there", async () => {
    const domain = newDomain();
    const { browser: first, organization } = await desk.company(domain);
    const { browser: second, organization: other } = await desk.newOwner();
    await desk.connect(second);
    expect(refusalOf(await desk.prove(second, domain))).toEqual([40910, "domain_held"]);
    const where = async () => {
      const { body } = await desk.begin(newBrowser(), `a@${domain}`);
      return new URL(new URL(body.url).searchParams.get("redirect_uri") ?? "").pathname.split("/").at(-1);
    };
    expect(await where()).toBe(organization.id);
    // The domain is sold: the record of its first owner is gone.
    const name = `_gateway-challenge.${domain}`;
    desk.provider.records.set(name, desk.provider.records.get(name)?.slice(1) ?? []);
    expect((await desk.ask(second, `POST /api/v1/domains/${domain}/check`)).status).toBe(200);
    expect(await where()).toBe(other.id);
    const { body } = await desk.ask(first, "GET /api/v1/sign-on");
    expect(body.domains).toMatchObject([{ id: domain, proved: false }]);
    // Whoever signed on for the first organization does so no more.
    expect(refusalOf(await desk.ask(first, `POST /api/v1/domains/${domain}/check`))[0]).toBe(40910);
  });

  test("two organizations that prove one at the same moment: one of them has it", async () => {
    const domain = newDomain();
    const owners = [await desk.newOwner(), await desk.newOwner()];
    const name = `_gateway-challenge.${domain}`;
    const values: string[] = [];
    for (const { browser } of owners)
      values.push((await desk.ask(browser, "POST /api/v1/domains", { domain })).body.record.value);
    desk.provider.records.set(name, values);
    const checks = owners.map(({ browser }) => desk.ask(browser, `POST /api/v1/domains/${domain}/check`));
    expect((await Promise.all(checks)).map(codeOf).toSorted()).toEqual([200, 40910]);
  });

  test("nobody loses one by a silence of DNS", async () => {
    const domain = newDomain();
    await desk.company(domain);
    const { browser } = await desk.newOwner();
    const { body } = await desk.ask(browser, "POST /api/v1/domains", { domain });
    const { readTexts } = desk.deps;
    let asked = 0;
    desk.deps.readTexts = async () => (asked++ === 0 ? [body.record.value] : undefined);
    const answer = await desk.ask(browser, `POST /api/v1/domains/${domain}/check`);
    desk.deps.readTexts = readTexts;
    expect([asked, refusalOf(answer)]).toEqual([2, [40910, "domain_held"]]);
  });

  test("are looked for again once a day, and are good for a week without their record", async () => {
    const domain = newDomain();
    await desk.company(domain);
    const begin = async () => codeOf(await desk.begin(newBrowser(), `a@${domain}`));
    const record = desk.provider.records.get(`_gateway-challenge.${domain}`) ?? [];
    desk.provider.records.delete(`_gateway-challenge.${domain}`);
    desk.pass(6 * dayMs);
    expect(await begin()).toBe(200);
    desk.provider.records.set(`_gateway-challenge.${domain}`, record);
    expect(await begin()).toBe(200);
    desk.provider.records.delete(`_gateway-challenge.${domain}`);
    desk.pass(6 * dayMs);
    expect(await begin()).toBe(200);
    desk.pass(dayMs);
    expect(await begin()).toBe(40400);
    desk.provider.records.set(`_gateway-challenge.${domain}`, record);
    expect(await begin()).toBe(200);
  });

  test("a domain that was lost lets nobody of it in, also who has come in before", async () => {
    const domain = newDomain();
    await desk.company(domain);
    await desk.signOn(newBrowser(), { subject: `a@${domain}` });
    const browser = newBrowser();
    const { body } = await desk.begin(browser, `a@${domain}`);
    const { readTexts } = desk.deps;
    desk.deps.readTexts = async () => [];
    // The attempt is younger than the week that the domain is good for without its record.
    const claim = await desk.deps.domains.list(
      new URL(body.url).searchParams.get("redirect_uri")?.split("/").at(-1) ?? "",
    );
    await desk.deps.domains.see(claim[0] as never, desk.clock.now - 7 * dayMs);
    const back = await desk.visit(body.url, { subject: `a@${domain}` });
    expect(refusalOf(await desk.finish(browser, back))).toEqual([40300, "sign_on_unverified"]);
    desk.deps.readTexts = readTexts;
  });

  test("are given up", async () => {
    const domain = newDomain();
    const { browser } = await desk.company(domain);
    expect((await desk.ask(browser, `DELETE /api/v1/domains/${domain}`)).body).toMatchObject({
      deleted: true,
    });
    expect(codeOf(await desk.ask(browser, `POST /api/v1/domains/${domain}/check`))).toBe(40400);
    expect(codeOf(await desk.begin(newBrowser(), `a@${domain}`))).toBe(40400);
    expect((await desk.prove(browser, domain)).status).toBe(200);
  });

  test("an organization claims twenty at most", async () => {
    const { browser } = await desk.newOwner();
    for (let at = 0; at < 20; at++) await desk.ask(browser, "POST /api/v1/domains", { domain: newDomain() });
    expect(refusalOf(await desk.ask(browser, "POST /api/v1/domains", { domain: newDomain() }))).toEqual([
      40000,
      "domains_full",
    ]);
  });
});
