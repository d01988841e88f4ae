/**
 * What tells of a change of an organization that was made without a session. It is a line in the audit log or another
 * record that says who did it. A change that needs neither has a reason. `audit-lines.md` shows it.
 */

interface Told {
  /** What it changes, or who may do it. */
  about: string;
  tells: string;
}

/** By an API key, on the gateway. */
export const toldByKey: Readonly<Record<string, Told>> = {
  infer: { about: "the meter, the ledger", tells: "the entry: request, key, user" },
  count: {
    about: "the window of the minute",
    tells: "nothing: it is gone after a minute, and nothing is charged",
  },
  create_key: { about: "the keys", tells: "`key_created`" },
  change_key: { about: "the keys", tells: "`key_changed`" },
  revoke_key: { about: "the keys", tells: "`key_revoked`" },
  rotate_key: { about: "the keys", tells: "`key_rotated`" },
  disable_key: { about: "the keys", tells: "`key_disabled`" },
  enable_key: { about: "the keys", tells: "`key_enabled`" },
  empty_cache: { about: "the organization's cache", tells: "`cache_emptied`" },
  take_feedback: { about: "one cached answer", tells: "`cache_answer_removed`" },
  create_task: { about: "the tasks, the meter, the ledger", tells: "the task, and its entry: request, key" },
  cancel_task: { about: "a task", tells: "the task. No entry is changed by it" },
};

/** Without a session, on the console. */
export const toldWithoutSession: Readonly<Record<string, Told>> = {
  send_code: { about: "a phone number", tells: "nothing: it changes no organization" },
  sign_up: {
    about: "a code",
    tells: "the user's and the organization's own records; `member_joined` where an invitation is used",
  },
  sign_in: { about: "a code", tells: "the session; `member_joined` where an invitation is used" },
  refresh_session: { about: "the cookie", tells: "the session" },
  sign_out: { about: "the cookie", tells: "the session" },
  start_device: { about: "the request of a program", tells: "nothing: it changes no organization" },
  get_device_token: {
    about: "a device code, or a refresh token",
    tells:
      "`key_created` in the name of who approved; a refresh: the key's record; `key_revoked` where it is refused for good",
  },
  revoke_device_token: { about: "a refresh token", tells: "`key_revoked`" },
  begin_sign_on: { about: "an address", tells: "nothing: it changes no organization" },
  unsubscribe: { about: "a link in a mail", tells: "nothing: it changes no organization" },
  begin_passkey_sign_in: { about: "nobody", tells: "nothing: it changes no organization" },
  passkey_sign_in: { about: "a passkey", tells: "the session" },
  finish_sign_on: {
    about: "what a provider has sent back",
    tells: "the session; `account_linked`, `member_joined`, `member_role_changed`, `member_projects_changed`",
  },
  take_notice: {
    about: "a platform's signature",
    tells: "`order_credited`, `plan_changed`, `order_refunded`",
  },
};

/** By the operator's commands. */
export const toldByOperator: Readonly<Record<string, string>> = {
  "org create": "the organization's own record",
  "org credit": "`points_credited`, and the entry",
  "org budget": "`budget_changed`",
  "org wallet-thresholds": "`wallet_thresholds_changed`",
  "org auto-top-up": "`auto_top_up_set`",
  "org policy": "`policy_changed`",
  "org remove-provider-key": "`provider_key_removed`",
  "org webhooks": "`webhook_disabled`",
  "org shards": "nothing: it spreads the calls of a wallet, and changes no sum",
  "org freeze": "`organization_frozen`",
  "org unfreeze": "`organization_unfrozen`",
  "org grant": "`permissions_changed`",
  "org revoke": "`permissions_changed`",
  "org sign-on": "`sign_on_optional`, `sign_on_released`",
  "org provisioning": "`provisioning_token_removed`",
  "org plan": "`plan_changed`",
  "org lapse": "`plan_end_changed`",
  "org renew": "`plan_end_changed`",
  "user freeze":
    "the user's record: a user belongs to no one organization; a line for each program that ends",
  "user unfreeze": "the user's record",
  "order review": "`order_accepted`, `order_credited`, `order_closed`",
  "order refund": "`order_refunded`",
  "invoice issue": "`invoice_issued`",
  "invoice reject": "`invoice_rejected`",
  "invoice void": "`invoice_voided`",
  "key create": "`key_created`",
  "key change": "`key_changed`",
  "key rotate": "`key_rotated`",
  "key disable": "`key_disabled`",
  "key enable": "`key_enabled`",
  "key revoke": "`key_revoked`",
  "project create": "`project_created`",
  "project change": "`project_changed`",
  "id give": "`provider_id_given`",
  sweep: "the entries of the calls that it closes",
  seal: "the entries of the fees that it posts",
  "task resolve": "the task, and its entry",
  "pepper drop": "nothing: it removes hashes that keys have left",
  "accounts drop": "nothing: it renames claims of phones",
  "catalog prices": "the price history",
  "channel leave": "the channel's record, with who and why: a channel belongs to no organization",
  "channel return": "the same record",
  "bills import": "the bill, with its file and when it was imported: it belongs to no organization",
  "bills withdraw": "the bill's mark, with who and why",
  "month close": "the summary, with who closed it and why: it belongs to no organization",
  "token make": "the token's record, with who made it and for whom: it belongs to no organization",
  "token revoke": "the same record",
  "sms raise": "nothing: it changes the stage's budget of messages, and no organization",
};

/** By a token of the operators' API. Each line has the token's name and id, and why. */
export const toldByToken: Readonly<Record<string, string>> = {
  disable_key: "`key_disabled`",
  enable_key: "`key_enabled`",
  revoke_key: "`key_revoked`",
  issue_invoice: "`invoice_issued`",
  reject_invoice: "`invoice_rejected`, whose reason is the one that the customer is told",
  review_order: "`order_accepted`, `order_credited`, `order_closed`, `order_refunded`",
  credit_organization: "`points_credited`, and the entry; above the stage's sum the proposal",
  confirm_proposal: "`points_credited` with both persons' tokens, and the entry",
  refuse_proposal: "the proposal: nothing was changed",
};
