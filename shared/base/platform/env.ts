/** The environment variables. Infrastructure and functions take the names here, so grants and variables match. */
export const variables = {
  keysTable: "KEYS_TABLE",
  countersTable: "COUNTERS_TABLE",
  ledgerTable: "LEDGER_TABLE",
  tasksTable: "TASKS_TABLE",
  accountsTable: "ACCOUNTS_TABLE",
  boardTable: "BOARD_TABLE",
  cacheTable: "CACHE_TABLE",
  videoWorkflow: "VIDEO_WORKFLOW_ARN",
  taskLifetime: "TASK_LIFETIME_SECONDS",
  usageQueue: "USAGE_QUEUE_URL",
  lessonQueue: "LESSON_QUEUE_URL",
  pepperSecret: "PEPPER_SECRET_ARN",
  providersSecret: "PROVIDERS_SECRET_ARN",
  accountsSecret: "ACCOUNTS_SECRET_ARN",
  platformsSecret: "PLATFORMS_SECRET_ARN",
  /** The key of KMS under which organizations' own provider keys are sealed. Absent: none is taken. */
  ownKeysKey: "OWN_KEYS_KMS_KEY_ARN",
  /** What the console tells browsers to call with a key; it ends with a slash. */
  gatewayUrl: "GATEWAY_URL",
  /** Who may sign up: `open` for everybody, `closed` for those who are invited. */
  registration: "REGISTRATION",
  /** The calling codes that messages go to, such as `+86,+852`. */
  phoneCountries: "PHONE_COUNTRIES",
  /** The most messages that the stage sends in a day. */
  smsPerDay: "SMS_PER_DAY",
  /** The address that mails come from. Absent: the stage sends none. */
  mailFrom: "MAIL_FROM",
  /** The most mails that the stage sends in a day. */
  mailsPerDay: "MAILS_PER_DAY",
  /** Where mails are sent instead of SES, on a local machine. */
  mailEndpoint: "MAIL_ENDPOINT",
  /** Credits of more points than this take two operators (shared/edges/admin/README.md "Four eyes"). */
  fourEyesPoints: "FOUR_EYES_POINTS",
  /** What the addresses begin with that payment platforms call. Absent: the host of the request. */
  notifyBase: "NOTIFY_BASE",
  /** How the stage taxes what is paid, by currency, as JSON. Absent: not at all. */
  taxRules: "TAX_RULES",
  /** Where codes can be read on a local machine. Absent on AWS, where phones get them. */
  inboxUrl: "INBOX_URL",
  /** What plays identity providers and DNS on a local machine. Absent on AWS, where both are real. */
  signOnSandbox: "SIGN_ON_SANDBOX_URL",
  /** The event bus that is told the news of all organizations. Absent: the stage has none. */
  newsBus: "NEWS_BUS_ARN",
  telemetrySecret: "TELEMETRY_SECRET_ARN",
} as const;

export type VariableName = keyof typeof variables;

/** The value of a variable the function cannot work without. Throws, naming it, when it is unset. */
export function required(name: VariableName, env: NodeJS.ProcessEnv = process.env): string {
  const value = env[variables[name]];
  if (!value) throw new Error(`environment variable ${variables[name]} is not set`);
  return value;
}
