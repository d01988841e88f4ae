/** A token that ends: who obtains it, who waits for it, and what serves while it cannot be renewed. */
import { expect, test } from "vitest";
import { keptToken, type Lent } from "#shared/base/platform/kept-token.ts";

const minute = 60_000;

/** A giver whose answers are let go one by one. */
function giver(life_ms = 60 * minute) {
  const state = { time: Date.UTC(2026, 10, 29), asked: 0, answers: [] as ((fails?: "fails") => void)[] };
  const token = keptToken(
    () => {
      const id = ++state.asked;
      const { promise, resolve, reject } = Promise.withResolvers<Lent<string>>();
      state.answers.push((fails) =>
        fails
          ? reject(new Error(`refused ${id}`))
          : resolve({ value: `token-${id}`, ends_at: state.time + life_ms }),
      );
      return promise;
    },
    () => state.time,
  );
  return Object.assign(state, { token });
}

const breathe = () => new Promise(setImmediate);

test("all that have none wait for one answer", async () => {
  const state = giver();
  const waiting = [state.token(), state.token(), state.token()];
  state.answers[0]?.();
  expect(await Promise.all(waiting)).toEqual(["token-1", "token-1", "token-1"]);
  expect(state.asked).toBe(1);
});

test("one of a crowd renews it, and nobody waits", async () => {
  const state = giver();
  const first = state.token();
  state.answers[0]?.();
  await first;
  state.time += 55 * minute;
  const crowd = Array.from({ length: 20 }, () => state.token());
  expect(new Set(await Promise.all(crowd))).toEqual(new Set(["token-1"]));
  expect(state.asked).toBe(2);
  state.answers[1]?.();
  await breathe();
  expect(await state.token()).toBe("token-2");
});

test("a renewal that fails is made again only after a pause, while the old token serves", async () => {
  const state = giver();
  const first = state.token();
  state.answers[0]?.();
  await first;
  state.time += 56 * minute;
  await state.token();
  state.answers[1]?.("fails");
  await breathe();
  state.time += 9_999;
  expect(await state.token()).toBe("token-1");
  expect(state.asked).toBe(2);
  state.time += 1;
  expect(await state.token()).toBe("token-1");
  expect(state.asked).toBe(3);
});

test("all that have none are told of one failure, and the next asks again", async () => {
  const state = giver();
  const waiting = [state.token(), state.token()];
  state.answers[0]?.("fails");
  const told = await Promise.allSettled(waiting);
  expect(told.map((end) => end.status === "rejected" && end.reason.message)).toEqual([
    "refused 1",
    "refused 1",
  ]);
  const next = state.token();
  state.answers[1]?.();
  expect(await next).toBe("token-2");
});

test("one that counts for few minutes serves for half of them before it is renewed", async () => {
  const state = giver(2 * minute);
  const first = state.token();
  state.answers[0]?.();
  await first;
  state.time += minute - 1;
  await state.token();
  expect(state.asked).toBe(1);
  state.time += 1;
  expect(await state.token()).toBe("token-1");
  expect(state.asked).toBe(2);
});

test("calls that come while a renewal is under way join it when the old token ends", async () => {
  const state = giver();
  const first = state.token();
  state.answers[0]?.();
  await first;
  state.time += 59 * minute;
  await state.token();
  state.time += minute;
  const late = [state.token(), state.token()];
  state.answers[1]?.();
  expect(await Promise.all(late)).toEqual(["token-2", "token-2"]);
  expect(state.asked).toBe(2);
});

test("one that is refused is dropped once, however many say so, and not while it is young", async () => {
  const state = giver();
  const first = state.token();
  state.answers[0]?.();
  await first;
  state.time += 9_999;
  state.token.drop("token-1");
  expect(await state.token()).toBe("token-1");
  state.time += 1;
  for (let at = 0; at < 100; at++) state.token.drop("token-1");
  const waiting = [state.token(), state.token(), state.token()];
  for (let at = 0; at < 100; at++) state.token.drop("token-1");
  state.answers[1]?.();
  expect(await Promise.all(waiting)).toEqual(["token-2", "token-2", "token-2"]);
  // Calls that were sent with the first one are refused late.
  state.time += 10_000;
  for (let at = 0; at < 100; at++) state.token.drop("token-1");
  expect(await state.token()).toBe("token-2");
  expect(state.asked).toBe(2);
});
