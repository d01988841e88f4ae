/** Events on their way to the queue: which are sent together, and that each waits for its own acknowledgement. */
import { beforeEach, describe, expect, test } from "vitest";
import { AwsError } from "#shared/base/platform/aws.ts";
import { createUsageQueue, type UsageQueue } from "#shared/edges/store/usage-queue.ts";
import { awsOver } from "#test/support/aws-over.ts";
import { eventOf, walletHold } from "#test/support/store.ts";

interface Request {
  action: string;
  QueueUrl: string;
  MessageBody: string;
  MessageGroupId: string;
  Entries?: { Id: string; MessageBody: string; MessageGroupId: string }[];
}

let requests: Request[];
let ticks: (() => void)[];
let queue: UsageQueue;
/** What the queue answers; a batch is acknowledged as a whole if it says nothing else. */
let answer: (request: Request) => object | undefined;

beforeEach(() => {
  [requests, ticks, answer] = [[], [], () => undefined];
  const aws = awsOver(async (_, action, body) => {
    const request = { action, ...(JSON.parse(body) as Omit<Request, "action">) };
    requests.push(request);
    return answer(request) ?? { Successful: request.Entries?.map(({ Id }) => ({ Id })) };
  });
  queue = createUsageQueue(aws, "https://queue", (act) => void ticks.push(act));
});

const event = (organization = "org_1", user = "") =>
  eventOf(walletHold("mtr_1", "1"), "1", { organization, user });
const tick = () => {
  for (const act of ticks.splice(0)) act();
};
const sendAll = async (events: ReturnType<typeof event>[]) => {
  const sending = events.map((each) => queue.send(each));
  tick();
  return (await Promise.allSettled(sending)).map(({ status }) => status);
};
const sizes = () => requests.map(({ Entries }) => Entries?.length ?? 1);
const refuse = () => {
  throw new AwsError("ServiceUnavailable", 503, {});
};

test("one event is a message", async () => {
  const one = event();
  expect(await sendAll([one])).toEqual(["fulfilled"]);
  const MessageBody = JSON.stringify(one);
  expect(requests).toEqual([
    { action: "SendMessage", QueueUrl: "https://queue", MessageBody, MessageGroupId: "org_1" },
  ]);
});

test("characters that SQS refuses are escaped, and the event reads the same", async () => {
  // Every UTF-16 unit, half of a pair too.
  const user = String.fromCharCode(...Array.from({ length: 0x10000 }, (_, unit) => unit));
  const one = event("org_1", user);
  await sendAll([one]);
  const [{ MessageBody = "" } = {}] = requests;
  // AWS's reference of SendMessage names these.
  expect(MessageBody.match(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu)).toBeNull();
  expect(JSON.parse(MessageBody)).toEqual(one);
});

test("events of one tick are a batch, each in its organization's group", async () => {
  const events = [event("org_1"), event("org_2")];
  expect(await sendAll(events)).toEqual(["fulfilled", "fulfilled"]);
  const Entries = events.map((each, at) => ({
    Id: String(at),
    MessageBody: JSON.stringify(each),
    MessageGroupId: each.organization,
  }));
  expect(requests).toEqual([{ action: "SendMessageBatch", QueueUrl: "https://queue", Entries }]);
});

test("a batch has ten entries at most", async () => {
  await sendAll(Array.from({ length: 23 }, () => event()));
  expect(sizes()).toEqual([10, 10, 3]);
});

test("a batch has 256 KB at most", async () => {
  // Four bytes each in UTF-8.
  const long = () => event("org_1", "😀".repeat(25_000));
  await sendAll([long(), long(), event(), long()]);
  expect(sizes()).toEqual([3, 1]);
});

describe("an event that is refused in a batch", () => {
  const oneRefused = ({ Entries }: Request) =>
    Entries && { Successful: [{ Id: "0" }, { Id: "2" }], Failed: [{ Id: "1", Code: "InternalError" }] };

  test("is sent again by itself", async () => {
    answer = oneRefused;
    const events = [event(), event(), event()];
    expect(await sendAll(events)).toEqual(["fulfilled", "fulfilled", "fulfilled"]);
    expect(sizes()).toEqual([3, 1]);
    expect(requests[1]?.MessageBody).toBe(JSON.stringify(events[1]));
  });

  test("fails alone where it is refused again", async () => {
    answer = (request) => oneRefused(request) ?? refuse();
    expect(await sendAll([event(), event(), event()])).toEqual(["fulfilled", "rejected", "fulfilled"]);
  });

  test("is not acknowledged before its own message is", async () => {
    const acknowledged: number[] = [];
    let confirm = () => {};
    const confirmed = new Promise<void>((resolve) => {
      confirm = resolve;
    });
    answer = ({ Entries }) => (Entries ? { Successful: [{ Id: "0" }] } : undefined);
    const waiting = createUsageQueue(
      (async (_service: string, action: string) => {
        if (action === "SendMessage") await confirmed;
        return { Successful: [{ Id: "0" }] };
      }) as never,
      "https://queue",
      (act) => void ticks.push(act),
    );
    const sending = [0, 1].map((at) => waiting.send(event()).then(() => acknowledged.push(at)));
    tick();
    await sending[0];
    expect(acknowledged).toEqual([0]);
    confirm();
    await sending[1];
    expect(acknowledged).toEqual([0, 1]);
  });
});

test("where the whole batch fails, every event does", async () => {
  answer = refuse;
  expect(await sendAll([event(), event()])).toEqual(["rejected", "rejected"]);
  expect(sizes()).toEqual([2]);
});
