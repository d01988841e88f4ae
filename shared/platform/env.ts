/**
 * The environment variables of the functions. The infrastructure sets them and the functions read them. Both take
 * the names from here, so that a grant and its variable always match.
 */
export const variables = {
  keysTable: "KEYS_TABLE",
  countersTable: "COUNTERS_TABLE",
  ledgerTable: "LEDGER_TABLE",
  tasksTable: "TASKS_TABLE",
  boardTable: "BOARD_TABLE",
  cacheTable: "CACHE_TABLE",
  videoWorkflow: "VIDEO_WORKFLOW_ARN",
  taskLifetime: "TASK_LIFETIME_SECONDS",
  usageQueue: "USAGE_QUEUE_URL",
  lessonQueue: "LESSON_QUEUE_URL",
  pepperSecret: "PEPPER_SECRET_ARN",
  providersSecret: "PROVIDERS_SECRET_ARN",
  telemetrySecret: "TELEMETRY_SECRET_ARN",
} as const;

export type VariableName = keyof typeof variables;

/** The value of a variable the function cannot work without. Throws, naming it, when it is unset. */
export function required(name: VariableName, env: NodeJS.ProcessEnv = process.env): string {
  const value = env[variables[name]];
  if (!value) throw new Error(`environment variable ${variables[name]} is not set`);
  return value;
}
