/** Whose address the rules about addresses see, by the front that a call comes through (shared/books/accounts/policies.md). */
import type { outputs } from "../../stage/outputs.ts";
import { type Check, ok } from "./check.ts";
import { outputOf, type StagePlace } from "./stage-place.ts";

/** Each front by the output that has its address, and whose address a call through it has. */
const seenThrough = {
  gatewayUrl: "the caller's own",
  serviceUrl: "the caller's own, as its balancer writes it",
  webGatewayUrl: "Lambda's own, so no range has it",
  domainUrl: "CloudFront's, so a range of the caller's does not have it",
} as const satisfies Partial<Record<keyof typeof outputs, string>>;

/** What is seen through each front of the stage. */
export function addressCheck(place: Pick<StagePlace, "stack">): Check {
  const fronts = Object.entries(seenThrough).flatMap(([output, seen]) => {
    const url = outputOf(place, output as keyof typeof seenThrough);
    return url === undefined ? [] : [`through ${url} ${seen}`];
  });
  return { name: "client addresses", run: () => ok(`rules about addresses see ${fronts.join("; ")}`) };
}
