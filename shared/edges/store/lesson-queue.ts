/** The queue of lessons on SQS (shared/calls/cache/semantic/README.md "The learner"). */

import type { Aws } from "../../base/platform/aws.ts";
import type { Secrets } from "../../base/platform/secrets.ts";
import { type Lessons, sealLesson } from "../../calls/cache/semantic/lesson.ts";

/** Sends each lesson by itself. The organization is the message group, so nobody's flood delays others. */
export function createLessonQueue(aws: Aws, url: string, secrets: Pick<Secrets, "peppers">): Lessons {
  return {
    async send(lesson) {
      const { current } = await secrets.peppers();
      const MessageBody = sealLesson(lesson, current.value);
      const MessageGroupId = lesson.place.organization;
      await aws("sqs", "SendMessage", { QueueUrl: url, MessageBody, MessageGroupId });
    },
  };
}
