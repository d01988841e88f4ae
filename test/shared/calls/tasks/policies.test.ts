/** Policies bound videos from their order to their submission, which runs in another process later. */
import { describe, expect, test } from "vitest";
import type { Principal } from "#shared/books/accounts/account.ts";
import type { Policy } from "#shared/books/accounts/policy.ts";
import { parsePoints } from "#shared/books/billing/points.ts";
import { work } from "#shared/calls/tasks/poll.ts";
import { createTaskBooks } from "#test/support/task-books.ts";
import { createVideoScenario, orderVideo, videoBody, videoCaller } from "#test/support/video.ts";

/** A video model with a channel at each of two providers. */
function opened() {
  const books = createTaskBooks(parsePoints("10"));
  const scenario = createVideoScenario(books.tasks, books.meters);
  const { catalog } = scenario.deps;
  const channels = ["other", "ark"].map((provider, i) => ({
    ...{ id: provider, provider, model: provider, priority: i + 1, weight: 1, secret: "ARK_API_KEY" },
    needs: ["ARK_API_KEY"],
  }));
  scenario.deps.catalog = {
    ...catalog,
    provider: (name) => catalog.provider(name === "other" ? "ark" : name),
    find: (name) => {
      const model = catalog.find(name);
      return model && { ...model, channels };
    },
  };
  const caller = videoCaller({ wallet: "mtr_1" });
  const by = (policy: Policy): Principal => ({ ...caller, key: { ...caller.key, policy } });
  const submit = async (task: string) =>
    await work({ action: "submit", task, organization: "org_1", polls: 0 }, scenario.deps);
  return { books, scenario, by, submit };
}

describe("a video", () => {
  test.each<[Policy, string, string[] | undefined]>([
    [{}, "other", undefined],
    [{ providers: ["*"] }, "other", undefined],
    [{ providers: ["ark"] }, "ark", ["ark"]],
  ])("goes to no provider that a policy forbids: %j", async (policy, asked, kept) => {
    const { books, scenario, by, submit } = opened();
    const task = await orderVideo(scenario, by(policy));
    expect(books.kept.get(task)?.providers).toEqual(kept);
    await submit(task);
    expect(scenario.provider.requests.map(({ model }) => model)).toEqual([asked]);
  });

  test.each<[Policy, object]>([
    [{ models: ["other"] }, videoBody],
    [{ providers: ["none"] }, videoBody],
    [{ switches: [] }, { ...videoBody, service_tier: "flex" }],
  ])("that %j forbids is refused, and holds nothing", async (policy, body) => {
    const { books, scenario, by } = opened();
    await expect(orderVideo(scenario, by(policy), body)).rejects.toThrow("The key's policy ");
    expect(books.kept.size).toBe(0);
  });

  test("is of the model that an alias leads to", async () => {
    const { books, scenario, by } = opened();
    const body = { ...videoBody, model: "my-film" };
    const task = await orderVideo(scenario, by({ aliases: ["my-*=test/video-1"] }), body);
    expect(books.kept.get(task)?.model).toBe("test/video-1");
  });
});
