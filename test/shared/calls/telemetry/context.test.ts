/** The W3C trace context of a request: valid headers are read and passed on, and all others are as if absent. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { contextHeaders, readContext, type TraceContext } from "#shared/calls/telemetry/context.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";
const read = (traceparent: string, tracestate?: string) => readContext({ traceparent, tracestate });
const stateOf = (tracestate: string) => read(`00-${traceId}-${spanId}-01`, tracestate)?.state;

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
    .map((digits) => digits.join(""))
    .filter((text) => !/^0+$/.test(text));
const stateChar = fc.constantFrom(..."abcXYZ019 !#$%&'()*+-./:;<>?@[]^_`{|}~");
const entry = fc
  .tuple(
    fc.stringMatching(/^[a-z0-9][a-z0-9_\-*/@]{0,30}$/),
    fc.string({ unit: stateChar, minLength: 1, maxLength: 20 }).map((text) => `${text.trim()}x`),
  )
  .map(([key, value]) => `${key}=${value}`);
const states = fc.option(
  fc
    .uniqueArray(entry, { selector: (each) => each.split("=")[0], minLength: 1, maxLength: 8 })
    .map((entries) => entries.join(",")),
  { nil: undefined },
);
const contexts: fc.Arbitrary<TraceContext> = fc.record({
  traceId: hex(32),
  spanId: hex(16),
  sampled: fc.boolean(),
  random: fc.boolean(),
  state: states,
});

describe("a trace context", () => {
  it("has no state where that is longer than what is read", () => {
    const state = (chars: number) => `a=${"b".repeat(200)},${" ".repeat(chars - 203)}`;
    expect(stateOf(state(8_192))).toBe(`a=${"b".repeat(200)}`);
    expect(stateOf(state(8_193))).toBeUndefined();
    expect(stateOf(`a${"\t".repeat(8_000)}b`)).toBeUndefined();
  });

  it("that was written is read again", () => {
    fc.assert(
      fc.property(contexts, (context) => {
        expect(readContext(contextHeaders(context))).toEqual(context);
      }),
    );
  });

  it("is read whatever its unknown flags are, which are not passed on", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 255 }), (flags) => {
        const context = read(`00-${traceId}-${spanId}-${flags.toString(16).padStart(2, "0")}`);
        expect(context).toEqual({
          traceId,
          spanId,
          sampled: (flags & 1) === 1,
          random: (flags & 2) === 2,
          state: undefined,
        });
        const passed = Number.parseInt(
          contextHeaders(context as TraceContext).traceparent?.slice(-2) ?? "",
          16,
        );
        expect(passed).toBe(flags & 3);
      }),
    );
  });

  it("is absent where one character of its header is changed to one that may not stand there", () => {
    const header = `00-${traceId}-${spanId}-01`;
    fc.assert(
      fc.property(fc.nat(header.length - 1), fc.constantFrom(..."ABCDEFGZ _,"), (at, letter) => {
        expect(read(header.slice(0, at) + letter + header.slice(at + 1))).toBeUndefined();
      }),
    );
  });

  it("is absent whatever text stands in its header that is none", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(read(text)).toBeUndefined();
      }),
    );
  });

  it.each([
    ["no header", undefined],
    ["version ff", `ff-${traceId}-${spanId}-01`],
    ["a trace id of zeros", `00-${"0".repeat(32)}-${spanId}-01`],
    ["a span id of zeros", `00-${traceId}-${"0".repeat(16)}-01`],
    ["version 00 with more than it has", `00-${traceId}-${spanId}-01-more`],
    ["a later version whose rest is not set off", `01-${traceId}-${spanId}-01more`],
    ["two headers", `00-${traceId}-${spanId}-01,00-${traceId}-${spanId}-01`],
    ["a trace id that is too short", `00-${traceId.slice(1)}-${spanId}-01`],
  ])("is absent with %s", (_, traceparent) => {
    expect(readContext({ traceparent, tracestate: "a=1" })).toBeUndefined();
  });

  it.each([`01-${traceId}-${spanId}-01`, `cc-${traceId}-${spanId}-01-what the future brings`])(
    "of a later version is read as far as it is known: %s",
    (traceparent) => {
      expect(read(traceparent)).toMatchObject({ traceId, spanId, sampled: true });
    },
  );
});

describe("tracestate", () => {
  it.each([
    ["a=1", "a=1"],
    [" a=1 ,\tb@c=2 ,, ", "a=1,b@c=2"],
    ["0x/y*z_-=a b", "0x/y*z_-=a b"],
    ["", undefined],
    [",,", undefined],
    ["a=1,a=2", undefined],
    ["A=1", undefined],
    ["a=", undefined],
    ["a", undefined],
    ["=1", undefined],
    ["a=1=2", undefined],
    ["a=é", undefined],
  ])("%j is passed on as %j", (given, passed) => {
    expect(stateOf(given)).toBe(passed);
  });

  it("has 32 entries at most", () => {
    const entries = (count: number) => Array.from({ length: count }, (_, at) => `k${at}=v`).join(",");
    expect([stateOf(entries(32)), stateOf(entries(33))]).toEqual([entries(32), undefined]);
  });

  it("that is too long loses its long entries first, and then its last", () => {
    const short = Array.from({ length: 8 }, (_, at) => `k${at}=${"v".repeat(70)}`);
    const long = `long=${"v".repeat(200)}`;
    expect(stateOf([long, ...short.slice(0, 3)].join(","))).toBe([long, ...short.slice(0, 3)].join(","));
    expect(stateOf([long, ...short].join(","))).toBe(short.slice(0, 6).join(","));
  });

  it("never costs the traceparent", () => {
    fc.assert(
      fc.property(fc.string(), (tracestate) => {
        const context = read(`00-${traceId}-${spanId}-01`, tracestate);
        expect(context).toMatchObject({ traceId, spanId });
        expect((context?.state ?? "").length).toBeLessThanOrEqual(512);
      }),
    );
  });
});
