/** The pepper's versions: how the secret writes them, and what never changes with them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deriveKey } from "#shared/base/platform/encryption.ts";
import { describeError } from "#shared/base/platform/log.ts";
import { openUnder, readPeppers, writePeppers } from "#shared/base/platform/pepper.ts";
import { dropped, rotated } from "#shared/edges/operator/secret-versions.ts";

const generated = "aZ3".repeat(21);

describe("the secret's text", () => {
  test("that is no JSON is version 1, and nothing of it is changed", () => {
    for (const text of [generated, ` ${generated}\n`, "[1]", "1", '"x"'])
      expect(readPeppers(text).current).toEqual({ version: 1, value: text });
  });

  test("may have two versions, which a person may have written", () => {
    const text = '{ "current": {"version": 2, "pepper": "b"}, "previous": {"version": 1, "pepper": "a"} }';
    expect(readPeppers(text)).toMatchObject({
      current: { version: 2, value: "b" },
      previous: { version: 1, value: "a" },
    });
  });

  test.each([
    "",
    "{",
    '{"current":"4711"}',
    '{"current":{"version":1,"pepper":""}}',
    '{"current":{"version":0,"pepper":"4711"}}',
    '{"current":{"version":1.5,"pepper":"4711"}}',
    '{"current":{"version":"2","pepper":"4711"}}',
    '{"current":{"version":1,"pepper":"4711"},"previous":{"version":1,"pepper":"x"}}',
    '{"current":{"version":2,"pepper":"4711"},"previous":null}',
    '{"current":{"version":2,"pepper":"4711"},"replay_names":1}',
    '{"previous":{"version":1,"pepper":"4711"}}',
  ])("is refused where it is neither, and never quoted: %s", (text) => {
    let error: unknown;
    try {
      readPeppers(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(describeError(error)).toContain("the pepper's secret is ");
    expect(describeError(error)).not.toContain("4711");
  });
});

describe("through any rotations", () => {
  /** What an operator may do, in any order that the commands allow, with what is written and read in between. */
  const steps = fc.array(fc.string({ minLength: 1 }), { maxLength: 6 });

  test("the names of repetitions stay those of the first version", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9]{1,64}$/), steps, (first, values) => {
        let peppers = readPeppers(first);
        for (const value of values) {
          const both = readPeppers(
            writePeppers(rotated(peppers, { value, made_at: "2026-11-23T00:00:00Z" })),
          );
          expect(both.previous).toEqual(peppers.current);
          peppers = readPeppers(writePeppers(dropped(both)));
          expect(peppers.current).toEqual(both.current);
          expect(both.replayNames).toEqual(deriveKey(first, "idempotency keys"));
          expect(peppers.replayNames).toEqual(both.replayNames);
        }
        expect(peppers.current.version).toBe(1 + values.length);
      }),
    );
  });

  test("a secret that a person has written keeps the names of its older version", () => {
    const both = readPeppers('{"current":{"version":2,"pepper":"b"},"previous":{"version":1,"pepper":"a"}}');
    expect(both.replayNames).toEqual(readPeppers("a").replayNames);
    expect(readPeppers(writePeppers(dropped(both))).replayNames).toEqual(both.replayNames);
  });
});

describe("what is encrypted", () => {
  const one = readPeppers("1");
  const two = rotated(one, { value: "2" });
  const only = (wanted: string) => (given: string) => {
    if (given !== wanted) throw new Error(`not ${given}`);
    return given;
  };
  const never = () => Promise.reject(new Error("nobody reads the secret again"));

  test("is opened under either version, and nobody reads the secret again for that", async () => {
    expect(await openUnder(two, only("2"), never)).toBe("2");
    expect(await openUnder(two, only("1"), never)).toBe("1");
  });

  test("by a process that knows the new version already is opened with a newer copy of the secret", async () => {
    expect(await openUnder(one, only("2"), async () => two)).toBe("2");
    expect(await openUnder(one, only("1"), async () => two)).toBe("1");
  });

  test("under neither is not opened", async () => {
    await expect(openUnder(two, only("3"), async () => two)).rejects.toThrow("not 2");
    await expect(openUnder(one, only("3"), async () => two)).rejects.toThrow("not 2");
  });
});
