import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { adapted, type OpenClient } from "../aws-clients.ts";

/** AWS's client of SQS. A queue's URL names the queue; it is not where the client sends to. */
export const sqs: OpenClient = (settings) =>
  adapted(new SQSClient({ ...settings, useQueueUrlAsEndpoint: false }), {
    ChangeMessageVisibilityBatch: ChangeMessageVisibilityBatchCommand,
    DeleteMessage: DeleteMessageCommand,
    GetQueueAttributes: GetQueueAttributesCommand,
    ReceiveMessage: ReceiveMessageCommand,
    SendMessage: SendMessageCommand,
  });
