/**
 * The names of a stack's outputs, by which others find its parts. The stack writes them. The operator and the local
 * runtime read them, so this file imports nothing.
 */
export const outputs = {
  gatewayUrl: "GatewayUrl",
  keysTable: "KeysTableName",
  countersTable: "CountersTableName",
  ledgerTable: "LedgerTableName",
  tasksTable: "TasksTableName",
  usageQueue: "UsageQueueUrl",
  usageDeadLetters: "UsageDeadLettersUrl",
  pepperSecret: "PepperSecretArn",
  providersSecret: "ProvidersSecretArn",
  videoWorkflow: "VideoWorkflowArn",
} as const;

/** The CloudFormation name of a stage's stack. */
export function stackName(stage: string): string {
  return `model-gateway-${stage}`;
}
