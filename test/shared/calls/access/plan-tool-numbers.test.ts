/** How often a call may run a provider's tool where its request does not say it: as often as its plan includes. */
import { describe, expect, test } from "vitest";
import { code, plan, search, usePlans } from "#test/support/including-plans.ts";
import { useScenario } from "#test/support/scenario.ts";

const scenario = useScenario();
const { serveWith, subscriber, askOn, nothingHappened } = usePlans(scenario);

describe("a tool whose request does not say how often it may run", () => {
  const [web, picture] = [{ type: "web_search" }, { type: "image_generation" }];
  const searches = (...uses: (number | null | undefined)[]) => ({
    tools: uses.flatMap((each, at) =>
      search(each as number | undefined).tools.map((tool) => ({ ...tool, name: `web_search_${at}` })),
    ),
  });

  test.each([
    ["web search", "anthropic", searches(undefined), { tools: [{ max_uses: 5 }] }],
    ["one that says null", "anthropic", searches(null), { tools: [{ max_uses: 5 }] }],
    [
      "one beside another",
      "anthropic",
      searches(3, undefined),
      { tools: [{ max_uses: 3 }, { max_uses: 2 }] },
    ],
    ["two", "anthropic", searches(undefined, undefined), { tools: [{ max_uses: 2 }, { max_uses: 2 }] }],
    ["tools of a response", "responses", { tools: [web] }, { max_tool_calls: 5 }],
    ["tools of several numbers", "responses", { tools: [web, picture] }, { max_tool_calls: 2 }],
    [
      "one beside a container",
      "responses",
      { tools: [web, ...code({ type: "auto" }).tools] },
      { max_tool_calls: 5 },
    ],
  ] as const)("%s goes up with the number of its plan", async (_, protocol, change, sent) => {
    expect((await askOn(subscriber("some"), protocol, change)).status).toBe(200);
    const [{ body } = expect.fail()] = scenario.upstream.requests;
    expect(JSON.parse(String(body))).toMatchObject(sent);
  });

  test("has no other byte changed: it goes up as if the client had written the number", async () => {
    const key = subscriber("most");
    await askOn(key, "anthropic", search(500));
    await askOn(key, "anthropic", search());
    const [given, written] = scenario.upstream.requests.map(({ body }) => String(body));
    expect(written).toBe(given);
  });

  test.each([
    ["of a pay-as-you-go key", "payg", "anthropic", search()],
    ["that says it", "some", "anthropic", search(1)],
    ["whose container is paid for by its time", "some", "responses", code({ type: "auto" })],
  ] as const)("but not one %s", async (_, plan, protocol, change) => {
    const key = plan === "payg" ? scenario.key : subscriber(plan);
    expect((await askOn(key, protocol, change)).status).toBe(200);
    const [{ body } = expect.fail()] = scenario.upstream.requests;
    expect(JSON.parse(String(body))).not.toHaveProperty("max_tool_calls");
    expect(JSON.parse(String(body)).tools).toEqual(JSON.parse(JSON.stringify(change.tools)));
  });

  test("is refused where its plan has none left for it", async () => {
    const reply = await askOn(subscriber("some"), "anthropic", searches(5, undefined));
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining("includes 5 of")]);
    nothingHappened();
  });

  test("and cannot say it is refused by a plan that refuses dear calls, unless all cost as much as one", async () => {
    const tools = { tools: { web_search: 50, google_search: 50 } };
    const bounds = { call: "100", day: "200" };
    serveWith({
      refuses: { ...plan, ...tools, list_points_max: bounds },
      counts: { ...plan, ...tools, list_points_max: { ...bounds, above: "count" } },
    });
    const reply = await askOn(subscriber("refuses"), "chat", { tools: [web] });
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining("nothing bounds how often")]);
    expect(reply.text).toContain("Plans that include it: counts.");
    nothingHappened();
    expect((await askOn(subscriber("counts"), "chat", { tools: [web] })).status).toBe(200);
    const google = { tools: [{ googleSearch: {} }] };
    expect((await askOn(subscriber("refuses"), "gemini", google)).status).toBe(200);
  });
});
