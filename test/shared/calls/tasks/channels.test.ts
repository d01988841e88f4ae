/** A model with two channels: the next one is asked only when it is certain that the first created nothing. */
import { expect, test } from "vitest";
import { parsePoints } from "#shared/books/billing/points.ts";
import type { TaskCreation } from "#shared/calls/tasks/deps.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import { createTaskBooks } from "#test/support/task-books.ts";
import { createVideoScenario, orderVideo, type VideoScenario, videoCaller } from "#test/support/video.ts";

const nothing: TaskCreation = { kind: "nothing", reason: "429" };
const refused: TaskCreation = { kind: "refused", error: { code: "InvalidParameter", message: "no" } };

/** The model of the scenario with two channels, `one` before `two`. */
function withTwoChannels(scenario: VideoScenario): void {
  const { catalog } = scenario.deps;
  const channels = ["one", "two"].map((model, i) => ({
    ...{ id: model, provider: "ark", model, priority: i + 1, weight: 1, secret: "ARK_API_KEY" },
    needs: ["ARK_API_KEY"],
  }));
  scenario.deps.catalog = {
    ...catalog,
    find: (name) => {
      const model = catalog.find(name);
      return model && { ...model, channels };
    },
  };
}

test.each<[what: string, first: TaskCreation, asked: string[], end: object]>([
  ["takes it", { kind: "created", id: "cgt-1" }, ["one"], { submission: "submitted", status: "queued" }],
  ["has not created it", nothing, ["one", "two"], { submission: "submitted", upstream: { model: "two" } }],
  ["may have created it", { kind: "uncertain", reason: "reset" }, ["one"], { submission: "submitting" }],
  ["refuses the request", refused, ["one"], { status: "failed", settled: true }],
])("when the first %s", async (_, first, asked, end) => {
  const books = createTaskBooks(parsePoints("10"));
  const scenario = createVideoScenario(books.tasks, books.meters);
  withTwoChannels(scenario);
  scenario.provider.answers = [first];
  const task = await orderVideo(scenario, videoCaller({ wallet: "mtr_1" }));
  await work({ action: "submit", task, organization: "org_1", polls: 0 }, scenario.deps);
  expect(scenario.provider.requests.map(({ model }) => model)).toEqual(asked);
  expect(books.kept.get(task)).toMatchObject(end);
});

test("a channel that an operator has taken out is sent nothing, and what runs there is polled on", async () => {
  const books = createTaskBooks(parsePoints("10"));
  const scenario = createVideoScenario(books.tasks, books.meters);
  withTwoChannels(scenario);
  const step = async (action: "submit" | "poll", task: string) =>
    await work({ action, task, organization: "org_1", polls: 0 }, scenario.deps);
  const order = () => orderVideo(scenario, videoCaller({ wallet: "mtr_1" }));
  const [running, waiting] = [await order(), await order()];
  await step("submit", running);
  scenario.boards.takeOut("test/video-1", "one", {});
  await step("submit", waiting);
  expect(scenario.provider.requests.map(({ model }) => model)).toEqual(["one", "two"]);
  scenario.provider.tasks.set("cgt-1", "succeed");
  await step("poll", running);
  expect(books.kept.get(running)).toMatchObject({ status: "succeed", upstream: { model: "one" } });
});

test("a task whose channels are all taken out waits for one of them, and is charged nothing meanwhile", async () => {
  const books = createTaskBooks(parsePoints("10"));
  const scenario = createVideoScenario(books.tasks, books.meters);
  const task = await orderVideo(scenario, videoCaller({ wallet: "mtr_1" }));
  const { id = "" } = scenario.deps.catalog.find("test/video-1")?.channels[0] ?? {};
  scenario.boards.takeOut("test/video-1", id, {});
  const step = async (action: "submit" | "poll") =>
    await work({ action, task, organization: "org_1", polls: 0 }, scenario.deps);
  await step("submit");
  expect(scenario.provider.requests).toEqual([]);
  expect(books.kept.get(task)).toMatchObject({ status: "queued", submission: "unsubmitted", mark: "" });
  scenario.boards.takeOut("test/video-1", id);
  await step("poll");
  expect(books.kept.get(task)).toMatchObject({ submission: "submitted" });
});

test("a board that cannot be read keeps no task from its provider", async () => {
  const books = createTaskBooks(parsePoints("10"));
  const scenario = createVideoScenario(books.tasks, books.meters);
  const task = await orderVideo(scenario, videoCaller({ wallet: "mtr_1" }));
  scenario.deps.boards = { read: () => Promise.reject(new Error("no board")) };
  await work({ action: "submit", task, organization: "org_1", polls: 0 }, scenario.deps);
  expect(books.kept.get(task)).toMatchObject({ submission: "submitted" });
  expect(scenario.logs).toContain("board_unreachable");
});

test("what a provider has created is in the log also where the store does not take it", async () => {
  const books = createTaskBooks(parsePoints("10"));
  const scenario = createVideoScenario(books.tasks, books.meters);
  const task = await orderVideo(scenario, videoCaller({ wallet: "mtr_1" }));
  const logs: object[] = [];
  scenario.deps.log = (_level, _event, fields = {}) => void logs.push(fields);
  scenario.deps.tasks = {
    ...books.tasks,
    change: (kept, change) =>
      change.upstream ? Promise.reject(new Error("store down")) : books.tasks.change(kept, change),
  };
  const step = work({ action: "submit", task, organization: "org_1", polls: 0 }, scenario.deps);
  await expect(step).rejects.toThrow("store down");
  const timing = { sent_ms: expect.any(Number) as number, attempt_ms: expect.any(Number) as number };
  expect(logs).toContainEqual({ request: task, provider: "ark", upstream: "cgt-1", ...timing });
});

test("a model that has left the catalog leaves its tasks unsent, for the next catalog or the end of their time", async () => {
  const books = createTaskBooks(parsePoints("10"));
  const scenario = createVideoScenario(books.tasks, books.meters);
  const task = await orderVideo(scenario, videoCaller({ wallet: "mtr_1" }));
  scenario.deps.catalog = { ...scenario.deps.catalog, find: () => undefined };
  await work({ action: "submit", task, organization: "org_1", polls: 0 }, scenario.deps);
  expect(books.kept.get(task)).toMatchObject({ status: "queued", submission: "unsubmitted", mark: "" });
});

test("a task that no provider could be sent is refused, and holds nothing", async () => {
  const books = createTaskBooks(parsePoints("10"));
  const scenario = createVideoScenario(books.tasks, books.meters);
  scenario.provider.unreachable = true;
  const order = orderVideo(scenario, videoCaller({ wallet: "mtr_1" }));
  await expect(order).rejects.toMatchObject({ key: "no_channel" });
  expect([books.kept.size, books.holds.size, books.avail]).toEqual([0, 0, books.granted]);
});
