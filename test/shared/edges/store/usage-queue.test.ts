/** The usage queue on a queue that is played: what the operator is told while dead letters are moved. */
import { expect, test } from "vitest";
import type { Aws } from "#shared/base/platform/aws.ts";
import { redrive } from "#shared/edges/store/usage-queue.ts";

const urls = { queue: "usage", deadLetters: "dead" };

/** The queue and its dead letters, which are `letters`. Keeps the actions that they are asked for. */
function played(letters: string[]): { aws: Aws; asked: string[] } {
  const asked: string[] = [];
  const waiting = [...letters];
  const answer = (action: string, input: { MaxNumberOfMessages?: number }) => {
    switch (action) {
      case "GetQueueAttributes":
        return { Attributes: { ApproximateNumberOfMessages: String(letters.length) } };
      case "ReceiveMessage":
        return {
          Messages: waiting
            .splice(0, input.MaxNumberOfMessages)
            .map((Body) => ({ Body, ReceiptHandle: Body })),
        };
      default:
        return {};
    }
  };
  const aws = (async (_service: string, action: string, input: object) => {
    asked.push(action);
    return answer(action, input);
  }) as unknown as Aws;
  return { aws, asked };
}

test("a redrive tells of each letter once it is moved, and gives how many there were", async () => {
  const letters = Array.from({ length: 12 }, (_, number) => `letter ${number}`);
  const { aws, asked } = played(letters);
  const deletedBefore: number[] = [];
  const onMoved = () => deletedBefore.push(asked.filter((action) => action === "DeleteMessage").length);
  expect(await redrive(aws, urls, onMoved)).toBe(12);
  expect(deletedBefore).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
});
