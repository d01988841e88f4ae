/** What CloudFormation says of a stage's stack, for the commands that compare with it. */
import {
  CloudFormationClient,
  DescribeStacksCommand,
  GetTemplateCommand,
  type Stack,
} from "@aws-sdk/client-cloudformation";

/** A client as `cdk` would have one: in the region of the environment, and with a profile if one is named. */
export function cloudFormation(profile?: string): CloudFormationClient {
  if (profile) process.env.AWS_PROFILE = profile;
  const region = process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION;
  return new CloudFormationClient(region ? { region } : {});
}

/** The stack of a name, if there is one. */
export async function findStack(client: CloudFormationClient, name: string): Promise<Stack | undefined> {
  try {
    return (await client.send(new DescribeStacksCommand({ StackName: name }))).Stacks?.[0];
  } catch (error) {
    if (error instanceof Error && error.message.includes("does not exist")) return undefined;
    throw error;
  }
}

/** The text of the template that is deployed. A deployment that failed has left the one before. */
export async function templateOf(client: CloudFormationClient, name: string): Promise<string> {
  const { TemplateBody = "{}" } = await client.send(new GetTemplateCommand({ StackName: name }));
  return TemplateBody;
}
