/** Products that are broken where one write admits several calls. */
import type { Transport } from "#shared/base/platform/aws.ts";
import { TransportError } from "#shared/base/platform/http-client.ts";
import type { Mutation } from "./mutation.ts";
import { changing, type Write } from "./rewriting.ts";

/** The holds that a write takes: the name of each, and its points. */
function takenBy(write: Write): { name: string; points: bigint; counter: string | undefined }[] {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = write;
  const sets = /^SET (.*?)(?: ADD | REMOVE |$)/.exec(write.UpdateExpression ?? "")?.[1] ?? "";
  return sets.split(", ").flatMap((each) => {
    const [slot = "", value = ""] = each.split(" = ");
    const [name, held] = [names[slot] ?? "", values[value]];
    if (!held || !/^h[0-9A-Z]{26}$/.test(name)) return [];
    const text = "S" in held ? String(held.S) : "N" in held ? String(held.N) : "0";
    const [points = "0", , key, counter] = text.split(".");
    return [{ name, points: BigInt(points), counter: counter && `${key}:${counter}` }];
  });
}

function isJoined(write: Write): boolean {
  return (write.ConditionExpression ?? "").startsWith("attribute_exists(") && takenBy(write).length > 1;
}

/** Changes the bound that a joined admission demands of an attribute. */
function rebound(write: Write, attribute: string, operator: ">=" | "<=", more: bigint): void {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = write;
  const slot = Object.keys(names).find((each) => names[each] === attribute);
  const value = new RegExp(`${slot} ${operator} (:\\d+)`).exec(write.ConditionExpression ?? "")?.[1];
  const bound = value === undefined ? undefined : values[value];
  if (value === undefined || !bound || !("N" in bound)) return;
  values[value] = { N: String(BigInt(String(bound.N)) + more) };
}

/** Demands the points of the first hold, and takes those of all. */
function underpaid(write: Write): void {
  if (!isJoined(write)) return;
  const others = takenBy(write).slice(1);
  rebound(
    write,
    "avail",
    ">=",
    others.reduce((less, { points }) => less - points, 0n),
  );
}

/** Demands room for the first of several holds in a budget. */
function overspent(write: Write): void {
  if (!isJoined(write)) return;
  const first = new Set<string>();
  for (const { counter, points } of takenBy(write)) {
    if (counter === undefined) continue;
    if (first.has(counter)) rebound(write, counter, "<=", points);
    first.add(counter);
  }
}

/** Does not know that an admission whose answer is lost may have been made. */
function trusting(inner: Transport): Transport {
  return (service, action, body) =>
    inner(service, action, body).catch((error: unknown) => {
      const isLost = error instanceof TransportError && action === "UpdateItem";
      throw isLost && isJoined(JSON.parse(body) as Write) ? new TransportError("connect", error) : error;
    });
}

/** Forgets that an answer was lost where the repetition fails its conditions: each call is then asked for alone. */
function forgetful(inner: Transport): Transport {
  return async (service, action, body) => {
    if (action !== "UpdateItem" || !isJoined(JSON.parse(body) as Write))
      return await inner(service, action, body);
    for (let attempt = 1; ; attempt++) {
      try {
        return await inner(service, action, body);
      } catch (error) {
        if (!(error instanceof TransportError) || attempt >= 4) throw error;
      }
    }
  };
}

const forGateway = (change: (inner: Transport) => Transport): (() => Mutation) => {
  return () => ({ transport: (inner, role) => (role === "gateway" ? change(inner) : inner) });
};

/** By name, as those of `mutants.ts`. */
export const mutantsOfJoinedAdmissions: Record<string, () => Mutation> = {
  "admits several calls by the points of one": forGateway((inner) =>
    changing(inner, "UpdateItem", underpaid),
  ),
  "admits several calls by the budget of one": forGateway((inner) =>
    changing(inner, "UpdateItem", overspent),
  ),
  "takes a joined admission whose answer is lost for one that was never sent": forGateway(trusting),
  "forgets a lost answer when calls that were joined are asked for alone": forGateway(forgetful),
};
