/** `Ask` over AWS's own clients, each loaded when something is first asked of its service. */
import type { STSClientConfig } from "@aws-sdk/client-sts";
import { type AwsClient, adapted, type Watch } from "#shared/base/platform/aws-clients.ts";
import type { AccountAction, Ask, ServiceInPolicies } from "./actions.ts";

/** How every client is made. What is absent is found as AWS's clients find it. */
type ClientSettings = Pick<STSClientConfig, "region" | "credentials" | "maxAttempts" | "requestHandler">;

/** What every answer said of its time: the `Date` header, and when it came by this machine's clock. */
type OnDate = (date: string, at: number) => void;

/** A package of AWS: its client, and its commands by their names. */
type ClientPackage = Readonly<Record<string, unknown>>;

/** How the package of each service is loaded, and what its client is called. */
const services: Record<ServiceInPolicies, [load: () => Promise<ClientPackage>, client: string]> = {
  bedrock: [() => import("@aws-sdk/client-bedrock"), "BedrockClient"],
  cloudformation: [() => import("@aws-sdk/client-cloudformation"), "CloudFormationClient"],
  cloudwatch: [() => import("@aws-sdk/client-cloudwatch"), "CloudWatchClient"],
  dynamodb: [() => import("@aws-sdk/client-dynamodb"), "DynamoDBClient"],
  events: [() => import("@aws-sdk/client-eventbridge"), "EventBridgeClient"],
  lambda: [() => import("@aws-sdk/client-lambda"), "LambdaClient"],
  logs: [() => import("@aws-sdk/client-cloudwatch-logs"), "CloudWatchLogsClient"],
  secretsmanager: [() => import("@aws-sdk/client-secrets-manager"), "SecretsManagerClient"],
  ses: [() => import("@aws-sdk/client-sesv2"), "SESv2Client"],
  sns: [() => import("@aws-sdk/client-sns"), "SNSClient"],
  sqs: [() => import("@aws-sdk/client-sqs"), "SQSClient"],
  states: [() => import("@aws-sdk/client-sfn"), "SFNClient"],
  sts: [() => import("@aws-sdk/client-sts"), "STSClient"],
};

/** Opens the client of a service, with all actions that it has. A command is named after its action. */
export async function openClient(service: ServiceInPolicies, settings: ClientSettings): Promise<AwsClient> {
  const [load, name] = services[service];
  const aws = await load();
  const Client = aws[name] as new (settings: ClientSettings) => Parameters<typeof adapted>[0];
  const commands = Object.entries(aws).filter(([each]) => each.endsWith("Command"));
  const byAction = commands.map(([each, made]) => [each.slice(0, -"Command".length), made]);
  return adapted(new Client(settings), Object.fromEntries(byAction) as Parameters<typeof adapted>[1]);
}

/** How long a connection may take, and how long a service may be silent, milliseconds. */
const connectMs = 3_000;
const silentMs = 8_000;

/** The account that these settings reach. `onDate` is told of the time of every answer, also of refusals. */
export function openAccount(settings: ClientSettings, onDate: OnDate = () => {}): Ask {
  const opened = new Map<string, Promise<AwsClient>>();
  const watch = watching(onDate);
  const all = { ...settings, requestHandler: { connectionTimeout: connectMs, socketTimeout: silentMs } };
  const ask = async (name: AccountAction, input: object): Promise<object> => {
    const [service = "", action = ""] = name.split(":");
    const client = opened.get(service) ?? openClient(service as ServiceInPolicies, all);
    opened.set(service, client);
    return await (await client).send(action, input, watch);
  };
  return ask as Ask;
}

interface Dated {
  headers?: Record<string, string>;
}

function watching(onDate: OnDate): Watch {
  const tell = (answer: Dated | undefined) => {
    const date = answer?.headers?.date;
    if (date !== undefined) onDate(date, Date.now());
  };
  return {
    applyToStack: (stack) =>
      stack.add(
        (next) => async (args) => {
          try {
            const result = await next(args);
            tell((result as { response?: Dated }).response);
            return result;
          } catch (error) {
            tell((error as { $response?: Dated }).$response);
            throw error;
          }
        },
        { name: "watchDates", step: "deserialize", priority: "high" },
      ),
  };
}
