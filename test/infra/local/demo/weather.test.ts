/** The weather of the demo provider: what may be set, and what it does to a call. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { startDemoProvider } from "#infra/local/demo/demo-provider.ts";
import { cleanUp, cleanups } from "#test/support/local/fixture.ts";

afterEach(cleanUp);

/** The pauses that the demo provider makes, in milliseconds. None of them takes any time here. */
const pauses = vi.hoisted((): number[] => []);
vi.mock("node:timers/promises", () => ({ setTimeout: async (ms: number) => void pauses.push(ms) }));

/** The numbers that decide whether a flaky provider fails. */
let chances: number[];
let url: string;

beforeEach(async () => {
  chances = [];
  const server = await startDemoProvider({
    providers: ["north", "south"],
    random: () => chances.shift() ?? 1,
  });
  cleanups.push(server.stop);
  url = server.url;
});

const put = (provider: string, word: string) =>
  fetch(`${url}/weather/${provider}`, { method: "PUT", body: word });
const weather = async () => await (await fetch(`${url}/weather`)).json();

function ask(provider: string, change: object = {}, signal?: AbortSignal): Promise<Response> {
  const body = { model: "m", messages: [{ role: "user", content: "Hi" }], ...change };
  const options = { method: "POST", body: JSON.stringify(body), ...(signal && { signal }) };
  return fetch(`${url}/${provider}/openai/chat/completions`, options);
}

describe("the weather", () => {
  test("is clear until it is set, for one provider", async () => {
    expect(await weather()).toEqual({ north: "clear", south: "clear" });
    const set = await put("north", "outage\n");
    expect([set.status, await set.text()]).toEqual([200, '{"north":"outage"}\n']);
    expect(await weather()).toEqual({ north: "outage", south: "clear" });
    expect([(await ask("north")).status, (await ask("south")).status]).toEqual([503, 200]);
    await put("north", "clear");
    expect((await ask("north")).status).toBe(200);
  });

  const wrong: [provider: string, word: string, message: string][] = [
    [
      "north",
      "rain",
      'there is no weather "rain". There are clear (answers as ever), outage (503 at once), flaky',
    ],
    ["north", "", 'there is no weather "". There are clear'],
    ["north", "constructor", 'there is no weather "constructor"'],
    ["north", "x".repeat(101), `there is no weather "${"x".repeat(100)}…"`],
    ["nroth", "outage", "there is no provider nroth. There are north, south."],
    ["", "outage", "there is no provider . There are north, south."],
  ];
  test.each(wrong)("PUT of %s with %s is refused, and changes nothing", async (provider, word, message) => {
    const answer = await put(provider, word);
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { message: string } };
    expect(error.message.slice(0, message.length)).toBe(message);
    expect(await weather()).toEqual({ north: "clear", south: "clear" });
  });

  test.each([
    ["PUT", "/weather"],
    ["GET", "/weather/north"],
    ["POST", "/weather/north"],
  ])("%s %s is told what there is", async (method, path) => {
    const answer = await fetch(url + path, { method });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("PUT /weather/<provider> with a word as its body sets it");
  });

  test("of a provider that is not known beforehand can be set where none are", async () => {
    const server = await startDemoProvider();
    cleanups.push(server.stop);
    await fetch(`${server.url}/weather/acme`, { method: "PUT", body: "limit" });
    expect(await (await fetch(`${server.url}/weather`)).json()).toEqual({ acme: "limit" });
  });
});

describe("a call", () => {
  test("in an outage fails on every path", async () => {
    await put("north", "outage");
    for (const path of [
      "openai/chat/completions",
      "anthropic/v1/messages",
      "ark/contents/generations/tasks",
    ]) {
      const answer = await fetch(`${url}/north/${path}`, { method: "POST", body: "{}" });
      expect([path, answer.status]).toEqual([path, 503]);
    }
  });

  test("of a flaky provider fails three times of ten", async () => {
    await put("north", "flaky");
    chances = [0, 0.29, 0.3, 0.99];
    const statuses = [];
    for (let call = 0; call < 4; call++) statuses.push((await ask("north")).status);
    expect(statuses).toEqual([500, 500, 200, 200]);
  });

  test("that is limited is told to wait 12 seconds", async () => {
    await put("north", "limit");
    const answer = await ask("north");
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "12"]);
  });

  test("that hangs is taken and never answered, until its client leaves", async () => {
    await put("north", "hang");
    const leave = new AbortController();
    const hanging = ask("north", {}, leave.signal);
    // The server answers in the order of arrival what it answers at all.
    expect((await ask("south")).status).toBe(200);
    const first = await Promise.race([hanging, weather()]);
    expect(first).toEqual({ north: "hang", south: "clear" });
    leave.abort();
    await expect(hanging).rejects.toThrow("aborted");
  });

  test("of a slow provider begins a second later, and its words come eight times slower", async () => {
    const pausesOf = async (change: object) => {
      pauses.length = 0;
      await (await ask("north", change)).text();
      return [...new Set(pauses)];
    };
    expect([await pausesOf({}), await pausesOf({ stream: true })]).toEqual([[], [20]]);
    await put("north", "slow");
    expect([await pausesOf({}), await pausesOf({ stream: true })]).toEqual([[1000], [1000, 160]]);
  });
});
