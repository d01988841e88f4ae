/** How a call is routed, what it notes on the board, and what it must not. */
import type { Row } from "#test/guards/guard.ts";

const routing = "shared/calls/gateway/routing ›";

export const routes: Row[] = [
  {
    id: "route-1",
    test: `${routing} a call whose own time is over blames no channel`,
    guard: 'if (!own && (!signal.aborted || outcome === "answered")) notes.note(observed);',
    without: "if (!own) notes.note(observed);",
  },
  {
    id: "route-2",
    test: `${routing} a stream that its provider breaks off is a fault`,
    guard: "if (!stopped && !found) broke();",
    without: "",
  },
  {
    id: "route-3",
    test: `${routing} of a whole answer is long, because its head comes with its end`,
    guard: "call.stream && hasNext ?",
    without: "hasNext ?",
  },
  {
    id: "route-4",
    test: `${routing} %j is 400, and holds nothing`,
    guard: "if (preferences) routeBlindly(decoded, deps);",
    without: "",
  },
  {
    id: "route-5",
    test: `${routing} is written before the invocation ends`,
    guard: "await notes.written();",
    without: "",
  },
  {
    id: "route-6",
    test: "shared/calls/routing/answers › that was no stream has no speed, and no first byte of its own",
    guard: "first_byte: streamed ? histogramOf(ms, laneOf(witnessOf(event.organization))) : []",
    without: "first_byte: histogramOf(ms)",
  },
  {
    id: "route-7",
    test: `${routing} a limit is no fault, and is left as long as the provider says`,
    guard: 'return { outcome: isLeft ? "limited" : "fault", is_limit, wait_ms, is_certain };',
    without: 'return { outcome: "fault", is_limit, wait_ms, is_certain };',
  },
  {
    id: "route-8",
    test: "shared/calls/gateway/slow-reader › a stream whose reader is slow tells how long its provider took",
    guard: "received_at - sent_ms - attempt_ms - waitedMs",
    without: "received_at - sent_ms - attempt_ms",
  },
];
