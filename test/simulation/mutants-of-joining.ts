/** Products that are broken where one request does what several would: joined settlements, batches of events and intents. */
import { AwsError, isOverload, type Transport } from "#shared/base/platform/aws.ts";
import type { Mutation } from "./mutation.ts";
import { changing, type Write } from "./rewriting.ts";

/** The condition of a joined settlement: each hold is as it was put. */
const joined = /^(#\d+ = :\d+)(?: AND #\d+ = :\d+)+$/;

function isJoined({ UpdateExpression = "", ConditionExpression = "" }: Write): boolean {
  return UpdateExpression.includes("REMOVE") && joined.test(ConditionExpression);
}

/** A joined settlement that looks at one of its holds. */
function trusting(write: Write): void {
  if (isJoined(write)) write.ConditionExpression = joined.exec(write.ConditionExpression ?? "")?.[1];
}

const holdsOf = ({ ExpressionAttributeNames = {} }: Write): string[] =>
  Object.values(ExpressionAttributeNames).filter((name) => /^h[0-9A-Z]{26}$/.test(name));

/** A settlement that is not tried alone where a joined one has failed. */
function resigning(inner: Transport): Transport {
  const given = new Set<string>();
  return async (service, action, body) => {
    const write = JSON.parse(body) as Write;
    if (action !== "UpdateItem" || !write.UpdateExpression?.includes("REMOVE"))
      return await inner(service, action, body);
    const holds = holdsOf(write);
    if (holds.some((hold) => given.has(hold))) throw new AwsError("ConditionalCheckFailedException", 400, {});
    try {
      return await inner(service, action, body);
    } catch (error) {
      const isRefused = error instanceof AwsError && error.code === "ConditionalCheckFailedException";
      if (isRefused && isJoined(write)) for (const hold of holds) given.add(hold);
      throw error;
    }
  };
}

/** A settlement that takes along what was refused before, and books it without ending its hold. */
function doubling(inner: Transport): Transport {
  const refused = new Set<string>();
  return async (service, action, body) => {
    const write = JSON.parse(body) as Write;
    if (action !== "UpdateItem" || !write.UpdateExpression?.includes("REMOVE"))
      return await inner(service, action, body);
    const holds = holdsOf(write);
    const late = holds.filter((hold) => refused.has(hold));
    if (late.length < holds.length) for (const hold of late) keepHold(write, hold);
    try {
      return await inner(service, action, JSON.stringify(write));
    } catch (error) {
      if (isOverload(error)) for (const hold of holds) refused.add(hold);
      throw error;
    }
  };
}

/** Takes a hold out of what a write removes, which stands at the end of its expression. */
function keepHold(write: Write, hold: string): void {
  const names = Object.entries(write.ExpressionAttributeNames ?? {});
  const [name] = names.find(([, each]) => each === hold) ?? [];
  const [before = "", removed = ""] = (write.UpdateExpression ?? "").split("REMOVE ");
  const left = removed.split(", ").filter((each) => each !== name);
  write.UpdateExpression = left.length > 0 ? `${before}REMOVE ${left.join(", ")}` : before;
}

interface Insert {
  Statement: string;
  Parameters: unknown[];
}

/** Puts the intents of a batch whatever is there, as `BatchWriteItem` would. */
function overwriting(inner: Transport): Transport {
  return async (service, action, body) => {
    if (action !== "BatchExecuteStatement") return await inner(service, action, body);
    const { Statements } = JSON.parse(body) as { Statements: Insert[] };
    const puts = Statements.map(({ Statement, Parameters }) => {
      const names = [...Statement.matchAll(/'(\w+)'/g)].map(([, name]) => name ?? "");
      const Item = Object.fromEntries(names.map((name, at) => [name, Parameters[at]]));
      const TableName = /"(.+)"/.exec(Statement)?.[1];
      return inner(service, "PutItem", JSON.stringify({ TableName, Item }));
    });
    await Promise.all(puts);
    return { Responses: Statements.map(() => ({})) };
  };
}

/** Takes the intents of a batch for written, also those that were refused. */
function presuming(inner: Transport): Transport {
  return async (service, action, body) => {
    const answer = await inner(service, action, body);
    if (action !== "BatchExecuteStatement") return answer;
    const { Statements } = JSON.parse(body) as { Statements: Insert[] };
    return { Responses: Statements.map(() => ({})) };
  };
}

/** A batch that is taken for acknowledged as a whole. */
function believing(inner: Transport): Transport {
  return async (service, action, body) => {
    const answer = await inner(service, action, body);
    if (action !== "SendMessageBatch") return answer;
    const { Entries } = JSON.parse(body) as { Entries: { Id: string }[] };
    return { Successful: Entries.map(({ Id }) => ({ Id })) };
  };
}

const forGateway = (change: (inner: Transport) => Transport): (() => Mutation) => {
  return () => ({ transport: (inner, role) => (role === "gateway" ? change(inner) : inner) });
};

/** By name, as those of `mutants.ts`. */
export const mutantsOfJoining: Record<string, () => Mutation> = {
  "settles several holds if one of them is there": forGateway((inner) =>
    changing(inner, "UpdateItem", trusting),
  ),
  "settles no hold of several where one is gone": forGateway(resigning),
  "books a settlement that was refused, and leaves its hold": forGateway(doubling),
  "puts the intents of one moment without a condition": forGateway(overwriting),
  "takes an intent for written that was refused in a batch": forGateway(presuming),
  "takes an event for acknowledged that the queue refused in a batch": forGateway(believing),
};
