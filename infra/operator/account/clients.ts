/** `Ask` over AWS's own clients, each loaded when something is first asked of its service. */
import type { STSClientConfig } from "@aws-sdk/client-sts";
import { type AwsClient, adapted, type Watch } from "#shared/base/platform/aws-clients.ts";
import type { AccountAction, Ask } from "./actions.ts";

/** How every client is made. What is absent is found as AWS's clients find it. */
type ClientSettings = Pick<STSClientConfig, "region" | "credentials" | "maxAttempts" | "requestHandler">;

type ServiceOf<Name> = Name extends `${infer Service}:${string}` ? Service : never;

/** What every answer said of its time: the `Date` header, and when it came by this machine's clock. */
type OnDate = (date: string, at: number) => void;

const services: Record<ServiceOf<AccountAction>, (settings: ClientSettings) => Promise<AwsClient>> = {
  async cloudformation(settings) {
    const aws = await import("@aws-sdk/client-cloudformation");
    return adapted(new aws.CloudFormationClient(settings), {
      DescribeStacks: aws.DescribeStacksCommand,
      ListStackResources: aws.ListStackResourcesCommand,
    });
  },
  async cloudwatch(settings) {
    const aws = await import("@aws-sdk/client-cloudwatch");
    return adapted(new aws.CloudWatchClient(settings), {
      DescribeAlarms: aws.DescribeAlarmsCommand,
      GetMetricStatistics: aws.GetMetricStatisticsCommand,
    });
  },
  async dynamodb(settings) {
    const aws = await import("@aws-sdk/client-dynamodb");
    return adapted(new aws.DynamoDBClient(settings), {
      DescribeContinuousBackups: aws.DescribeContinuousBackupsCommand,
      DescribeTable: aws.DescribeTableCommand,
      DescribeTimeToLive: aws.DescribeTimeToLiveCommand,
    });
  },
  async events(settings) {
    const aws = await import("@aws-sdk/client-eventbridge");
    return adapted(new aws.EventBridgeClient(settings), { DescribeRule: aws.DescribeRuleCommand });
  },
  async lambda(settings) {
    const aws = await import("@aws-sdk/client-lambda");
    return adapted(new aws.LambdaClient(settings), {
      GetAccountSettings: aws.GetAccountSettingsCommand,
      GetEventSourceMapping: aws.GetEventSourceMappingCommand,
      GetFunctionConcurrency: aws.GetFunctionConcurrencyCommand,
    });
  },
  async logs(settings) {
    const aws = await import("@aws-sdk/client-cloudwatch-logs");
    return adapted(new aws.CloudWatchLogsClient(settings), { FilterLogEvents: aws.FilterLogEventsCommand });
  },
  async secretsmanager(settings) {
    const aws = await import("@aws-sdk/client-secrets-manager");
    return adapted(new aws.SecretsManagerClient(settings), {
      DescribeSecret: aws.DescribeSecretCommand,
      GetSecretValue: aws.GetSecretValueCommand,
    });
  },
  async sns(settings) {
    const aws = await import("@aws-sdk/client-sns");
    return adapted(new aws.SNSClient(settings), {
      ListSubscriptionsByTopic: aws.ListSubscriptionsByTopicCommand,
    });
  },
  async sqs(settings) {
    const aws = await import("@aws-sdk/client-sqs");
    return adapted(new aws.SQSClient(settings), { GetQueueAttributes: aws.GetQueueAttributesCommand });
  },
  async states(settings) {
    const aws = await import("@aws-sdk/client-sfn");
    return adapted(new aws.SFNClient(settings), { DescribeStateMachine: aws.DescribeStateMachineCommand });
  },
  async sts(settings) {
    const aws = await import("@aws-sdk/client-sts");
    return adapted(new aws.STSClient(settings), { GetCallerIdentity: aws.GetCallerIdentityCommand });
  },
};

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
    const client = opened.get(service) ?? services[service as keyof typeof services](all);
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
