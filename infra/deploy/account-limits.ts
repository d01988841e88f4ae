/** What AWS Lambda says of the account, for the deployment that reserves a part of it. */
import { GetAccountSettingsCommand, LambdaClient } from "@aws-sdk/client-lambda";

/** How many functions the account may run at a time; undefined where it may not be asked. */
export async function concurrencyOfAccount(): Promise<number | undefined> {
  const region = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  const client = new LambdaClient(region ? { region } : {});
  try {
    return (await client.send(new GetAccountSettingsCommand({}))).AccountLimit?.ConcurrentExecutions;
  } catch {
    return undefined;
  }
}
