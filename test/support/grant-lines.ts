/** Lines of grants that several functions share (`Synthesized.grants`). */

export const posting = [
  "dynamodb:GetItem LedgerTable",
  "dynamodb:PutItem LedgerTable L#*",
  "dynamodb:PutItem LedgerTable P#*",
  "dynamodb:UpdateItem LedgerTable R#*",
];

export const keeping = [
  "dynamodb:GetItem TasksTable",
  "dynamodb:PutItem TasksTable",
  "dynamodb:UpdateItem TasksTable",
];

export const tellingVideos = ["dynamodb:GetItem AccountsTable O#*", "dynamodb:PutItem AccountsTable G#*"];

/** Whoever a session is of, and what it is counted by. */
export const identifying = [
  "dynamodb:BatchGetItem AccountsTable U#*",
  "dynamodb:ConditionCheckItem AccountsTable U#*",
  "dynamodb:GetItem AccountsTable U#*",
  "dynamodb:PutItem AccountsTable G#*",
  "dynamodb:UpdateItem AccountsTable Q#calls:*",
];

export const toppingUp = [
  "dynamodb:GetItem AccountsTable O#*,R#*",
  "dynamodb:PutItem AccountsTable G#*",
  "dynamodb:PutItem AccountsTable O#*,R#*",
  "dynamodb:UpdateItem AccountsTable O#*,Q#orders:*",
];

export const receiving = (queue: string) =>
  ["ChangeMessageVisibility", "DeleteMessage", "GetQueueAttributes", "GetQueueUrl", "ReceiveMessage"].map(
    (action) => `sqs:${action} ${queue}`,
  );

export const running = (name: string) => [
  `logs:CreateLogStream ${name}Logs`,
  `logs:PutLogEvents ${name}Logs`,
  "xray:PutTelemetryRecords *",
  "xray:PutTraceSegments *",
];

/** The default catalog has models at Azure, to which the role is stated. */
export const stating = "sts:GetWebIdentityToken * api://AzureADTokenExchange";
