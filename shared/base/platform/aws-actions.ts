/** The actions of AWS, with its clients' input and output types. Only types: no bundle gets a client by this file. */
import type * as DynamoDb from "@aws-sdk/client-dynamodb";
import type * as Secrets from "@aws-sdk/client-secrets-manager";
import type * as StepFunctions from "@aws-sdk/client-sfn";
import type * as Sqs from "@aws-sdk/client-sqs";

/** The actions of a client, by their names: what each takes and gives, as the client's commands say. */
type ActionsOf<Client> = {
  [Each in keyof Client as Each extends `${infer Name}Command` ? Name : never]: Client[Each] extends new (
    ...given: never
  ) => infer Command
    ? { input: InputOf<Command>; output: OutputOf<Command> }
    : never;
};

type InputOf<Command> = Command extends { input: infer Input } ? Input : never;

/** The client's own notes about a call are not part of its output. */
type OutputOf<Command> = Command extends {
  resolveMiddleware(...given: never): (...given: never) => Promise<{ output: infer Output }>;
}
  ? Omit<Output, "$metadata">
  : never;

/** The two actions of KMS that seal and open what is ours to keep (envelope.ts). Bytes are base64. */
interface KmsActions {
  GenerateDataKey: {
    input: { KeyId: string; KeySpec: "AES_256"; EncryptionContext: Record<string, string> };
    output: { CiphertextBlob: string; Plaintext: string };
  };
  Decrypt: {
    input: { CiphertextBlob: string; EncryptionContext: Record<string, string> };
    output: { Plaintext: string };
  };
}

/** The action of EventBridge that puts events on a bus. Its protocol has an instant in seconds since 1970. */
interface EventsActions {
  PutEvents: {
    input: {
      Entries: { EventBusName: string; Source: string; DetailType: string; Detail: string; Time: number }[];
    };
    output: {
      Entries?: { EventId?: string; ErrorCode?: string; ErrorMessage?: string }[];
    };
  };
}

/** Every action by its service and name. */
interface Actions {
  dynamodb: ActionsOf<typeof DynamoDb>;
  sqs: ActionsOf<typeof Sqs>;
  secretsmanager: ActionsOf<typeof Secrets>;
  states: ActionsOf<typeof StepFunctions>;
  events: EventsActions;
  kms: KmsActions;
}

export type ServiceName = keyof Actions;
export type ActionName<Service extends ServiceName> = keyof Actions[Service] & string;

/** What an action takes. */
export type ActionInput<
  Service extends ServiceName,
  Name extends ActionName<Service>,
> = Actions[Service][Name] extends { input: infer Given } ? Given : never;

/** What an action gives. */
export type Output<
  Service extends ServiceName,
  Name extends ActionName<Service>,
> = Actions[Service][Name] extends { output: infer Given } ? Given : never;
