/** What a call has seen of its channels is written before it ends, and a board that hangs does not hold it up. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createNotes, withNotes } from "#shared/calls/gateway/route-taken.ts";
import { boardBounds } from "#shared/calls/routing/bounds.ts";
import { Copies } from "#shared/calls/routing/copies.ts";
import { MemoryBoards } from "#test/support/memory-boards.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const reply = { status: 200, headers: {}, body: "" };

function notesOn(boards: MemoryBoards) {
  const deps = { boards, now: Date.now, log: vi.fn() };
  return createNotes(new Copies(deps), deps);
}

function fails(notes: ReturnType<typeof createNotes>): void {
  notes.note({ model: "m", channel: "a", provider: "acme", outcome: "fault", probed: false });
}

test("a call ends although the board hangs", async () => {
  const boards = Object.assign(new MemoryBoards(), { add: () => new Promise<never>(() => {}) });
  const notes = notesOn(boards);
  fails(notes);
  const ended = vi.fn();
  void withNotes(reply, notes).after?.().then(ended);
  await vi.advanceTimersByTimeAsync(boardBounds.notesMs - 1);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toHaveBeenCalled();
});

test("what a call saw is written although its own end fails", async () => {
  const boards = new MemoryBoards();
  let isWritten = false;
  const add: MemoryBoards["add"] = async (addition) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    isWritten = true;
    return await MemoryBoards.prototype.add.call(boards, addition);
  };
  const notes = notesOn(Object.assign(Object.create(boards) as MemoryBoards, { add }));
  const after = async () => {
    fails(notes);
    throw new Error("lost");
  };
  const ended = withNotes({ ...reply, after }, notes).after?.();
  const end = expect(ended?.finally(() => expect(isWritten).toBe(true))).rejects.toThrow("lost");
  await vi.advanceTimersByTimeAsync(100);
  await end;
});
