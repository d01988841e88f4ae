/** Which call of a Gemini conversation a result belongs to. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { WaitingCalls } from "#shared/calls/protocols/gemini/crossing/waiting-calls.ts";

test("a result takes the first call of its id, or of its name, that no other has taken", () => {
  const names = fc.constantFrom("a", "b");
  const ids = fc.constantFrom("1", "2", "3");
  const step = fc.oneof(
    fc.record({ add: fc.constant(true), id: ids, name: names }),
    fc.record({ add: fc.constant(false), id: fc.option(ids, { nil: undefined }), name: names }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const calls = new WaitingCalls();
      const waiting: { id: string; name: string }[] = [];
      for (const { add, id, name } of steps) {
        if (add && id !== undefined) {
          const call = { type: "tool_call" as const, id, name, arguments: "{}" };
          calls.add(call);
          waiting.push(call);
          continue;
        }
        const at = waiting.findIndex((call) => (id === undefined ? call.name === name : call.id === id));
        expect(calls.take(id, name)).toBe(at === -1 ? undefined : waiting.splice(at, 1)[0]);
      }
    }),
  );
});
