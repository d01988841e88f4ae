/** The race itself: two attempts, whoever ends first and however. */
import { describe, expect, test, vi } from "vitest";
import { race, raceIfLate } from "#shared/calls/routing/race.ts";

interface Sent {
  name: string;
  sent_at: number;
  ended: Promise<End>;
  abort: () => void;
  aborted: boolean;
  end: (outcome: string) => void;
  breaks: (error: Error) => void;
}
interface End {
  attempt: Sent;
  outcome: string;
}

function attempt(name: string): Sent {
  const { promise, resolve, reject } = Promise.withResolvers<End>();
  const sent: Sent = {
    name,
    sent_at: 0,
    ended: promise,
    aborted: false,
    abort: () => (sent.aborted = true),
    end: (outcome) => resolve({ attempt: sent, outcome }),
    breaks: reject,
  };
  return sent;
}

/** A race of `late` with the others, one after the other. `sends` is when the next one can be sent. */
function start(others: Sent[], sends: Promise<void> = Promise.resolve()) {
  const late = attempt("late");
  const told: string[] = [];
  const failures: unknown[] = [];
  const waiting = [...others];
  const result = race<Sent, End>(late, {
    board: async () => undefined,
    channel: "",
    model: { reasons: false },
    witness: undefined,
    isWorthwhile: () => true,
    now: () => 0,
    async next(isWanted) {
      await sends;
      return isWanted() ? waiting.shift() : undefined;
    },
    failed: (error) => void failures.push(error),
    tell: ({ attempt: { name }, outcome }, isLate) =>
      void told.push(`${name} ${outcome}${isLate ? ", raced" : ""}`),
    tellLost: ({ name }, isLate) => void told.push(`${name} lost${isLate ? ", raced" : ""}`),
  }).then(({ attempt: { name }, outcome }) => `${name} ${outcome}`);
  return { late, told, failures, result, waiting };
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

describe("a race", () => {
  test.each(["late", "rival"])(
    "in which both answer in one tick has one winner, whoever ended first: %s",
    async (first) => {
      const rival = attempt("rival");
      const { late, told, result } = start([rival]);
      await turn();
      for (const each of first === "late" ? [late, rival] : [rival, late]) each.end("answered");
      // The late one has a conversation's cache, so a tie is its own.
      expect(await result).toBe("late answered");
      expect(told).toEqual(["rival lost", "late answered, raced"]);
      expect([late.aborted, rival.aborted]).toEqual([false, true]);
    },
  );

  test("that the rival wins breaks the late one off", async () => {
    const rival = attempt("rival");
    const { late, told, result } = start([rival]);
    await turn();
    rival.end("answered");
    expect(await result).toBe("rival answered");
    expect(told).toEqual(["late lost, raced", "rival answered"]);
    expect([late.aborted, rival.aborted]).toEqual([true, false]);
  });

  test.each([
    ["blamed", "fault", "rival blamed"],
    ["blamed", "blamed", "rival blamed"],
    ["fault", "blamed", "late blamed"],
    ["fault", "fault", "late fault"],
    ["blamed", "answered", "late answered"],
  ])(
    "whose rival is %s, and whose late one then is %s, ends as: %s",
    async (rivalEnds, lateEnds, expected) => {
      const rival = attempt("rival");
      const { late, told, result } = start([rival]);
      rival.end(rivalEnds);
      await turn();
      expect(told).toEqual([`rival ${rivalEnds}`]);
      late.end(lateEnds);
      expect(await result).toBe(expected);
      expect(told).toEqual([`rival ${rivalEnds}`, `late ${lateEnds}, raced`]);
    },
  );

  test("asks the next one where a rival fails, so that two are under way at most", async () => {
    const rivals = ["one", "two", "three"].map(attempt);
    const { told, result, waiting } = start([...rivals]);
    await turn();
    expect(waiting).toHaveLength(2);
    rivals[0]?.end("limited");
    await turn();
    expect(waiting).toHaveLength(1);
    rivals[1]?.end("answered");
    expect(await result).toBe("two answered");
    expect(told).toEqual(["one limited", "late lost, raced", "two answered"]);
    expect(waiting).toHaveLength(1);
  });

  test.each(["fault", "limited"])(
    "whose late one blames the request asks nobody else where its rival then is: %s",
    async (rivalEnds) => {
      const [rival, next] = [attempt("rival"), attempt("next")];
      const { late, told, result, waiting } = start([rival, next]);
      next.end("answered");
      await turn();
      late.end("blamed");
      await turn();
      rival.end(rivalEnds);
      expect(await result).toBe("late blamed");
      expect(told).toEqual(["late blamed, raced", `rival ${rivalEnds}`]);
      expect(waiting).toEqual([next]);
    },
  );

  test("asks nobody who becomes ready after the late one has blamed the request", async () => {
    const ready = Promise.withResolvers<void>();
    const rival = attempt("rival");
    const { late, told, result, waiting } = start([rival], ready.promise);
    rival.end("answered");
    late.end("blamed");
    await turn();
    ready.resolve();
    expect(await result).toBe("late blamed");
    expect(told).toEqual(["late blamed"]);
    expect(waiting).toEqual([rival]);
  });

  test("is none where nobody can be sent", async () => {
    const { late, told, result } = start([]);
    await turn();
    late.end("fault");
    expect(await result).toBe("late fault");
    expect(told).toEqual(["late fault"]);
  });

  test("sends nobody who becomes ready after the late one has answered", async () => {
    const ready = Promise.withResolvers<void>();
    const rival = attempt("rival");
    const { late, told, result, waiting } = start([rival], ready.promise);
    late.end("answered");
    expect(await result).toBe("late answered");
    ready.resolve();
    await turn();
    expect(waiting).toEqual([rival]);
    expect(told).toEqual(["late answered"]);
  });

  test("goes on alone where the next one cannot be made ready", async () => {
    const { late, failures, result } = start([attempt("rival")], Promise.reject(new Error("no secrets")));
    await turn();
    expect(failures).toEqual([new Error("no secrets")]);
    late.end("answered");
    expect(await result).toBe("late answered");
  });

  test("that an error of ours ends leaves nobody under way", async () => {
    const rival = attempt("rival");
    const { late, result } = start([rival]);
    await turn();
    late.breaks(new Error("ours"));
    await expect(result).rejects.toThrow("ours");
    expect([late.aborted, rival.aborted]).toEqual([true, true]);
  });
});

test("a call that learns after that time that it is late waits no negative time", async () => {
  const waits = vi.spyOn(globalThis, "setTimeout");
  const late = attempt("late");
  const ended = raceIfLate<Sent, End>(late, {
    board: async () => ({ read_at: 0, windows: [], states: {} }),
    channel: "",
    model: { reasons: false, first_byte_ms: 100 },
    witness: undefined,
    isWorthwhile: () => true,
    now: () => 116,
    next: async () => undefined,
    failed: () => {},
    tell: () => {},
    tellLost: () => {},
  });
  await turn();
  late.end("answered");
  expect(await ended).toMatchObject({ outcome: "answered" });
  // Node would write a warning of its own into the log.
  expect(waits.mock.calls.map(([, ms]) => ms)).toEqual([0]);
  waits.mockRestore();
});
