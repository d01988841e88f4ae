/** How a request is made to fit its model: what is refused, what is held, and what stays as the client sent it. */
import type { Row } from "#test/guards/guard.ts";

export const fit: Row[] = [
  {
    id: "fit-1",
    test: "shared/calls/protocols/fitting/adapt › a picture that the model does not take is refused before anything is held",
    guard: "refuseInputs(inputs, traits.inputs);",
    without: "",
  },
  {
    id: "fit-2",
    test: "shared/calls/protocols/fitting/adapt › more stop sequences than the model takes are refused, and the message says how many it takes",
    guard: "refuseStops(stop, traits.stop_max);",
    without: "",
  },
  {
    id: "fit-3",
    test: "shared/calls/protocols/fitting/adapt › a picture that the model does not take is refused before anything is held",
    guard: "if (route.protocol === protocol && !decoded.adapts && !channel.traits && !host) return",
    without: "if (route.protocol === protocol) return",
  },
  {
    id: "fit-4",
    test: "shared/calls/gateway/fit-holds › covers reasoning beyond the answer where fitting could turn it on again",
    guard: "...(wishes.adapts && { thoughtless: false }),",
    without: "",
  },
  {
    id: "fit-5",
    test: "shared/calls/gateway/fit-holds › is never exchanged for Ark's maximum of the answer alone",
    guard: 'if (provider.protocols.ark && traits.maximum === "max_tokens") delete traits.maximum;',
    without: "",
  },
  {
    id: "fit-6",
    test: "shared/calls/gateway/fit-bytes › without the header every byte but the model's name stays",
    guard: "const fits = (call.adapts || target.fits) && upstream.crossing !== undefined;",
    without: "const fits = upstream.crossing !== undefined;",
  },
  {
    id: "fit-7",
    test: "shared/calls/gateway/fit-bytes › %s keeps its bytes",
    guard: "if (isObject(before) && isObject(after)) return patchObject(bytes, at, before, after);",
    without: "",
  },
  {
    id: "fit-8",
    test: "shared/books/catalog/effort › a held budget lies within its bounds and below the maximum, or there is none",
    guard: "const most = Math.min(max, maximum - 1);",
    without: "const most = max;",
  },
  {
    id: "fit-9",
    test: "shared/calls/protocols/fitting/reasoning › a loop of tools without its signed thinking goes without a budget",
    guard: 'const isLost = way === "budget" && isUnthoughtLoop(draft.at("messages"));',
    without: "const isLost = isUnthoughtLoop([]);",
  },
  {
    id: "fit-10",
    test: "shared/calls/chat/think-tags › is read alike in any pieces",
    guard: "const sure = kept.length - tailOf(kept);",
    without: "const sure = kept.length - tailOf(kept) * 0;",
  },
  {
    id: "fit-11",
    test: "shared/calls/gateway/fit-think › crosses as reasoning, streamed, wherever the tags are cut",
    guard: "if (!think_tags) return decoder;",
    without: "if (decoder) return decoder;",
  },
  {
    id: "fit-12",
    test: "shared/calls/protocols/fitting/crossing › with tools it reaches a model that takes them beside reasoning in the Responses API only there",
    guard: "return routes.find(({ dialect }) => !refused.includes(dialect)) ?? routes[0];",
    without: "return routes[0];",
  },
  {
    id: "fit-13",
    test: "shared/calls/protocols/fitting/adapt › a header of %j is refused, and nothing is held",
    guard: 'const adapts = wish(request, "x-gateway-adapt", ["1"]) !== undefined;',
    without: 'const adapts = request.headers["x-gateway-adapt"] !== undefined;',
  },
  {
    id: "fit-14",
    test: "shared/calls/protocols/fitting/crossing › %s → %s: %j",
    guard: 'if (form === "none") draft.drop("tools", "tools");',
    without: "",
  },
];
