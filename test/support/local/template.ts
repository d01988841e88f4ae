/** A stack with one of each resource, referring to each other in every way that is understood. */
export const template = {
  Resources: {
    Table1: {
      Type: "AWS::DynamoDB::GlobalTable",
      Properties: {
        AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
        KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
        Replicas: [{ Region: { Ref: "AWS::Region" }, Unknown: { "Fn::If": ["never", 1, 2] } }],
      },
    },
    Dead: { Type: "AWS::SQS::Queue", Properties: { QueueName: "dead-letters" } },
    Queue1: {
      Type: "AWS::SQS::Queue",
      Properties: {
        VisibilityTimeout: 181,
        RedrivePolicy: { deadLetterTargetArn: { "Fn::GetAtt": ["Dead", "Arn"] }, maxReceiveCount: 5 },
      },
    },
    Pepper: {
      Type: "AWS::SecretsManager::Secret",
      Properties: { GenerateSecretString: { PasswordLength: 64 } },
    },
    Providers: { Type: "AWS::SecretsManager::Secret", Properties: { SecretString: "{}" } },
    Front: {
      Type: "AWS::Lambda::Function",
      Metadata: { "aws:asset:path": "asset.abc" },
      Properties: {
        Handler: "index.handler",
        Timeout: 900,
        MemorySize: 512,
        LoggingConfig: { LogFormat: "JSON", LogGroup: "front-logs" },
        Environment: {
          Variables: {
            TABLE: { Ref: "Table1" },
            QUEUE: { Ref: "Queue1" },
            SECRET: { Ref: "Pepper" },
            TABLE_ARN: {
              // biome-ignore lint/suspicious/noTemplateCurlyInString: it is CloudFormation that fills it in.
              "Fn::Sub": "arn:${AWS::Partition}:x:${AWS::Region}:${AWS::AccountId}:${Table1}/${Table1.Arn}",
            },
            // biome-ignore lint/suspicious/noTemplateCurlyInString: as above.
            MAPPED: { "Fn::Sub": ["${name}-${AWS::URLSuffix}", { name: { Ref: "Table1" } }] },
            HOST: { "Fn::Select": [2, { "Fn::Split": ["/", { "Fn::GetAtt": ["Url", "FunctionUrl"] }] }] },
            JOINED: { "Fn::Join": ["", ["a-", { "Fn::GetAtt": ["Queue1", "QueueName"] }]] },
          },
        },
      },
    },
    Version1: { Type: "AWS::Lambda::Version", Properties: { FunctionName: { Ref: "Front" } } },
    Live: {
      Type: "AWS::Lambda::Alias",
      Properties: {
        Name: "live",
        FunctionName: { Ref: "Front" },
        FunctionVersion: { "Fn::GetAtt": ["Version1", "Version"] },
      },
    },
    Url: {
      Type: "AWS::Lambda::Url",
      Properties: {
        TargetFunctionArn: { "Fn::GetAtt": ["Live", "AliasArn"] },
        Qualifier: "live",
        InvokeMode: "RESPONSE_STREAM",
      },
    },
    Back: {
      Type: "AWS::Lambda::Function",
      Metadata: { "aws:asset:path": "asset.def" },
      Properties: { Handler: "index.handler" },
    },
    Mapping: {
      Type: "AWS::Lambda::EventSourceMapping",
      Properties: {
        EventSourceArn: { "Fn::GetAtt": "Queue1.Arn" },
        FunctionName: { Ref: "Back" },
        BatchSize: 100,
        MaximumBatchingWindowInSeconds: 1,
        FunctionResponseTypes: ["ReportBatchItemFailures"],
      },
    },
    Rule: {
      Type: "AWS::Events::Rule",
      Properties: {
        ScheduleExpression: "rate(5 minutes)",
        Targets: [{ Arn: { "Fn::GetAtt": ["Back", "Arn"] }, Input: '{"a":1}' }],
      },
    },
    Off: { Type: "AWS::Events::Rule", Properties: { ScheduleExpression: "rate(1 day)", State: "DISABLED" } },
    Machine: {
      Type: "AWS::StepFunctions::StateMachine",
      Properties: {
        DefinitionString: {
          "Fn::Join": [
            "",
            [
              '{"StartAt":"Work","States":{"Work":{"Type":"Task","End":true,"Resource":"',
              { "Fn::GetAtt": ["Back", "Arn"] },
              '"}}}',
            ],
          ],
        },
      },
    },
    Broken: {
      Type: "AWS::Events::Rule",
      Properties: {
        EventPattern: {
          source: ["aws.states"],
          detail: { stateMachineArn: [{ Ref: "Machine" }], status: ["FAILED", "TIMED_OUT", "ABORTED"] },
        },
        Targets: [{ Arn: { "Fn::GetAtt": ["Front", "Arn"] } }],
      },
    },
  },
  Outputs: { Where: { Value: { "Fn::GetAtt": ["Url", "FunctionUrl"] } } },
};
