/** AWS without a network: the port over a transport that a test plays, or over DynamoDB in memory. */
import { type Aws, createAws, parseJson, type Transport } from "#shared/base/platform/aws.ts";
import type { MemoryDynamoDb } from "./memory-dynamodb.ts";

/** The port over a transport, with so many tries. */
export function awsOver(transport: Transport, attemptsMax = 1): Aws {
  const credentials = () => ({ accessKeyId: "", secretAccessKey: "" });
  return createAws({ region: "", credentials, endpoints: {}, attemptsMax, timeoutMs: 0 }, transport);
}

/** What becomes of an action. `act` does it, and gives its answer. */
type Play<Input> = (act: () => object, action: string, input: Input) => object;

/** The port over DynamoDB in memory. `play` is shown each action with its input, and answers in DynamoDB's place. */
export function awsOverMemory<Input extends object>(
  db: MemoryDynamoDb,
  play: Play<Input> = (act) => act(),
  attemptsMax = 1,
): Aws {
  return awsOver(async (_, action, body) => {
    const input = parseJson(body) as Input;
    return play(() => db.act(action, input), action, input);
  }, attemptsMax);
}
