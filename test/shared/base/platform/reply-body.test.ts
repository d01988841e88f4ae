/** A body between its arrival and its reader. */
import { expect, test } from "vitest";
import { ArrivingBody } from "#shared/base/platform/reply-body.ts";

/** A body, with what its sender was told. */
function arriving() {
  const told: string[] = [];
  const body = new ArrivingBody({
    pause: () => told.push("pause"),
    resume: () => told.push("resume"),
    destroy: (error) => {
      told.push("destroy");
      body.fail(error);
    },
  });
  return { body, told };
}

const text = async (read: Promise<Buffer | undefined>) => (await read)?.toString();

test("what arrived between two reads is one read, and the end stays the end", async () => {
  const { body } = arriving();
  body.push(Buffer.from("a"));
  body.push(Buffer.from("b"));
  expect(await text(body.next())).toBe("ab");
  body.push(Buffer.from("c"));
  body.end();
  expect([await text(body.next()), await body.next(), await body.next()]).toEqual([
    "c",
    undefined,
    undefined,
  ]);
});

test("what arrives in one event is one read, also where the reader waits for it", async () => {
  const { body } = arriving();
  const waiting = text(body.next());
  body.push(Buffer.from("a"));
  body.push(Buffer.from("b"));
  expect(await waiting).toBe("ab");
});

test("who listens is called once after an event, and takes all that it brought", async () => {
  const { body } = arriving();
  const taken: (string | undefined)[] = [];
  body.listen(() => taken.push(body.take()?.toString()));
  body.push(Buffer.from("a"));
  body.push(Buffer.from("b"));
  expect(taken).toEqual([]);
  await Promise.resolve();
  expect(taken).toEqual(["ab"]);
  expect(body.take()?.length).toBe(0);
  body.end();
  await Promise.resolve();
  expect(taken).toEqual(["ab", undefined]);
});

test("who takes is told of a break after what had arrived", () => {
  const { body } = arriving();
  const broken = new Error("reset");
  body.push(Buffer.from("a"));
  body.fail(broken);
  expect(body.take()?.toString()).toBe("a");
  expect(() => body.take()).toThrow(broken);
});

test("reads that overlap are answered in their order", async () => {
  const { body } = arriving();
  const reads = [text(body.next()), text(body.next()), text(body.next())];
  body.push(Buffer.from("a"));
  expect(await reads[0]).toBe("a");
  body.push(Buffer.from("b"));
  expect(await reads[1]).toBe("b");
  body.end();
  expect(await reads[2]).toBeUndefined();
});

test("a break is told after what had arrived, as often as it is asked for", async () => {
  const { body } = arriving();
  const broken = new Error("reset");
  body.push(Buffer.from("a"));
  body.fail(broken);
  body.end();
  expect(await text(body.next())).toBe("a");
  await expect(body.next()).rejects.toBe(broken);
  await expect(body.next()).rejects.toBe(broken);
});

test("a body that is whole stays whole, whatever becomes of its connection", async () => {
  const { body, told } = arriving();
  body.push(Buffer.from("a"));
  body.end();
  body.fail(new Error("reset"));
  expect([await text(body.next()), await body.next()]).toEqual(["a", undefined]);
  body.destroy();
  expect(told).toEqual([]);
});

test("its sender is stopped while too much waits, and goes on when that is read", async () => {
  const { body, told } = arriving();
  const half = Buffer.alloc(40_000);
  body.push(half);
  expect(told).toEqual([]);
  body.push(half);
  body.push(half);
  expect(told).toEqual(["pause"]);
  expect((await body.next())?.length).toBe(120_000);
  expect(told).toEqual(["pause", "resume"]);
});

test("destroyed it gives nothing more, and its connection is closed once", async () => {
  const { body, told } = arriving();
  body.push(Buffer.from("a"));
  const broken = new Error("enough");
  body.destroy(broken);
  body.destroy();
  body.push(Buffer.from("b"));
  await expect(body.next()).rejects.toBe(broken);
  expect(told).toEqual(["destroy"]);
});
