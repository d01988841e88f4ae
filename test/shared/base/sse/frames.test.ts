/** Frames: whatever the cuts, the same frames come out, and joined they are the same bytes. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createFrameSplitter,
  frameData,
  frameObject,
  hasWord,
  renderFrame,
  splitFrames,
} from "#shared/base/sse/frames.ts";

const streams = [
  'data: {"a":"é漢字😀"}\n\ndata: [DONE]\n\n',
  'event: message_start\r\ndata: {"a":1}\r\n\r\n: ping\r\n\r\ndata: x\r\n\r\n',
  ": comment\n\nevent: a\ndata: 1\ndata: 2\n\ndata: unfinished",
  // More blank lines than a frame needs belong to the next frame.
  "data: 1\n\n\ndata: 2\n\n\n\n\r\n\r\n\n\r\ndata: 3\r\n\r\n\r\n",
];

function framesOf(bytes: Buffer, cuts: number[]): { frames: string[]; rest: string } {
  const splitter = createFrameSplitter(1_000_000);
  const frames: string[] = [];
  let from = 0;
  for (const cut of [...cuts.toSorted((a, b) => a - b), bytes.length]) {
    for (const frame of splitFrames(splitter.push(bytes.subarray(from, cut))))
      frames.push(frame.toString("latin1"));
    from = cut;
  }
  return { frames, rest: splitter.rest().toString("latin1") };
}

describe("the splitter", () => {
  test.each(streams)("a cut at every byte gives the same frames: %j", (text) => {
    const bytes = Buffer.from(text);
    const whole = framesOf(bytes, []);
    expect(whole.frames.length).toBeGreaterThan(1);
    expect(whole.frames.join("") + whole.rest).toBe(bytes.toString("latin1"));
    for (let cut = 0; cut <= bytes.length; cut++) expect(framesOf(bytes, [cut])).toEqual(whole);
  });

  test("any set of cuts gives the same frames", () => {
    fc.assert(
      fc.property(fc.constantFrom(...streams), fc.array(fc.nat(80), { maxLength: 40 }), (text, cuts) => {
        const bytes = Buffer.from(text);
        const inside = cuts.map((cut) => Math.min(cut, bytes.length));
        expect(framesOf(bytes, inside)).toEqual(framesOf(bytes, []));
      }),
      { seed: 3, numRuns: 1_000 },
    );
  });

  test("an unfinished frame is bounded", () => {
    const splitter = createFrameSplitter(10);
    splitter.push(Buffer.from("data: 1234"));
    expect(() => splitter.push(Buffer.from("5"))).toThrow(RangeError);
  });
});

describe("reading a frame", () => {
  test("data lines are joined, one space is dropped, other fields are not data", () => {
    expect(frameData(Buffer.from("event: a\nid: 3\ndata: 1\ndata:2\ndata:  3\n\n"))).toBe("1\n2\n 3");
    expect(frameData(Buffer.from("data: x\r\n\r\n"))).toBe("x");
    expect(frameObject(Buffer.from("data: [DONE]\n\n"))).toBeUndefined();
    expect(frameObject(Buffer.from('data: {"a":1\n\n'))).toBeUndefined();
  });

  test.each(["\n\n", "\r\n\r\n", "\r\n\n", "\n\r\n"])("an object in one line ends before %j", (end) => {
    expect(frameData(Buffer.from(`data: {"a":1}${end}`))).toBe('{"a":1}');
    expect(frameData(Buffer.from(`data: {"a":1\ndata: }${end}`))).toBe('{"a":1\n}');
    expect(frameData(Buffer.from(`data: {"a":1}\nid: {}${end}`))).toBe('{"a":1}');
  });

  test("an object is seen by its bytes, and text that looks like one is not", () => {
    const usage = /usage"[ :]*\{/;
    expect(hasWord(Buffer.from('data: {"usage": {"a":1}}\n\n'), usage)).toBe(true);
    expect(hasWord(Buffer.from('data: {"usage":null}\n\n'), usage)).toBe(false);
    expect(hasWord(renderFrame(JSON.stringify({ text: '{"usage":{"a":1}}' })), usage)).toBe(false);
  });
});
