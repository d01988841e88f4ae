/** What the bench counts, on copies whose number is known. */
import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { countCopies } from "./copies.ts";
import { printSpread, spreadOf } from "./spread.ts";

const kilobyte = Buffer.alloc(1024, "x");

describe("copies of bytes", () => {
  test("are counted by what makes them, and only while somebody counts", () => {
    const { concat } = Buffer;
    const end = countCopies();
    Buffer.concat([kilobyte, kilobyte]);
    Buffer.from(kilobyte.toString("latin1"));
    kilobyte.subarray(10);
    expect(end()).toEqual({ "Buffer.concat": 2048, "buffer.toString": 1024, "Buffer.from": 1024 });
    expect(Buffer.concat).toBe(concat);
    expect(Object.hasOwn(Socket.prototype, "write")).toBe(false);
  });

  test("are none where a buffer is laid over memory that is there", () => {
    const end = countCopies();
    Buffer.from(new ArrayBuffer(1024));
    expect(end()["Buffer.from"]).toBe(0);
  });

  test("within a counted copy are no further ones", () => {
    const end = countCopies();
    JSON.parse(JSON.stringify("y".repeat(100)), (_key, value) => kilobyte.toString("latin1", 0, 1) && value);
    expect(end()).toEqual({ "JSON.stringify": 102, "JSON.parse": 102 });
  });
});

describe("the spread of a figure", () => {
  test("is the median with the least and the most; of an even number, the middle of the two in the middle", () => {
    expect(spreadOf([4, 1, 100, 2])).toEqual({ median: 3, least: 1, most: 100 });
    expect(printSpread(spreadOf([4, 1, 100, 2]), 1)).toBe("3.0 (1.0–100.0)");
  });

  test("of one figure is the figure, and of none nothing", () => {
    expect(printSpread(spreadOf([1234.4]))).toBe("1,234");
    expect(printSpread(spreadOf([]))).toBe("");
  });
});
