/** What mails of news say, in each language (mails.md). What others typed is quoted, and never more than a name. */
import type { AuditEntry } from "../identity/audit.ts";
import { laidOut, type Mail } from "../identity/mail/words.ts";
import type { Locale } from "../identity/user.ts";
import { type MailedKind, mailPageOf } from "./mail-kinds.ts";
import { unsubscribeHeaders } from "./unsubscribe.ts";

/** Where the mail goes, and what it is told of beside the line. */
export interface MailPlace {
  /** What the organization is called. */
  organization: string;
  /** The language of the recipient. */
  locale: string;
  /** What addresses of the console begin with; undefined: the stage does not know it, and the mail has no link. */
  consoleUrl: string | undefined;
  /** Turns off such mails without a sign-in; undefined likewise. */
  unsubscribe: string | undefined;
  /** It is the last mail of the person's day. */
  isLast: boolean;
}

interface Words {
  kinds: Record<MailedKind, [what: string, todo: string]>;
  /** What the facts of a line are called that a mail has. */
  facts: Record<
    | ("name" | "plan" | "points" | "amount" | "role")
    | ("percent" | "spent_points" | "budget_points" | "used" | "quota")
    | ("balance_points" | "days_left" | "expires_at" | "resets_at")
    | ("model" | "from" | "changes"),
    string
  >;
  subject(what: string, organization: string): string;
  organization(name: string): string;
  by(name: string): string;
  fact(name: string, value: string): string;
  open(url: string | undefined): string;
  choose(url: string | undefined): string;
  stop(url: string): string;
  last: string;
}

const words: Readonly<Record<Locale, Words>> = {
  en: {
    kinds: {
      budget_reached: [
        "A budget has reached a threshold",
        "Raise it, or calls are refused once it is used up.",
      ],
      wallet_low: ["The wallet is low", "Buy points, or calls are refused once it is empty."],
      auto_top_up_paused: [
        "Automatic top-up pauses",
        "The card could not be charged. Pay by hand, or turn it on again.",
      ],
      quota_reached: [
        "The plan's quota has reached a threshold",
        "Look at what is left, and when it begins anew.",
      ],
      plan_ended: ["The plan has ended", "Calls with it are refused. Buy a plan, or use the wallet."],
      key_expiring: ["A key expires soon", "Make another one, or give it more time."],
      price_announced: ["A price will change", "Look at what the model costs from that day on."],
      order_credited: ["An order was paid", "Its points or its plan are there."],
      order_refunded: ["An order was refunded", "The platform pays the amount back."],
      points_credited: ["The wallet was credited", "You need not do anything."],
      invoice_issued: ["An invoice was issued", "Get it in the console."],
      invoice_rejected: ["An invoice was refused", "Read why, and ask for it again."],
      invoice_voided: ["An invoice was voided", "Do not use it any more."],
      plan_changed: ["The plan was changed", "Look at what it includes now."],
      plan_end_changed: ["The end of the plan was moved", "Look at when it ends now."],
      organization_frozen: ["The organization was frozen", "Its calls are refused. Ask us why."],
      organization_unfrozen: ["The organization works again", "You need not do anything."],
      key_created: ["A key was made", "If nobody of you did that, revoke it."],
      key_rotated: [
        "A key has a new secret",
        "Use the new secret. If nobody of you did that, revoke the key.",
      ],
      key_disabled: ["A key was disabled", "Calls with it are refused until somebody enables it."],
      key_enabled: ["A key was enabled", "If nobody of you did that, revoke it."],
      key_revoked: ["A key was revoked", "Calls with it are refused. Use another key."],
      provider_key_set: [
        "A provider's key was set",
        "Calls may be paid with it. If nobody of you did that, remove it.",
      ],
      provider_key_removed: ["A provider's key was removed", "Look at whether calls still work."],
      webhook_disabled: ["A webhook was turned off", "Turn it on again when your server works."],
      member_joined: ["A member joined", "If nobody of you invited them, remove them."],
      member_role_changed: ["A member has another role", "Look at what the role may do."],
      member_projects_changed: ["A member's groups give other projects", "Look at what they may use now."],
      member_removed: ["A member was removed", "Look at the keys that they had."],
      member_left: ["A member left", "Look at the keys that they had."],
      sign_on_released: [
        "A member's sign-in by your provider was released",
        "Look at whom their next sign-in links.",
      ],
      account_linked: [
        "An account signs in by your provider now",
        "If nobody of you knows them, remove them.",
      ],
    },
    facts: {
      ...{ name: "Name", plan: "Plan", points: "Points", amount: "Amount", role: "Role" },
      ...{ percent: "Percent", spent_points: "Points spent", budget_points: "Points of the budget" },
      ...{ used: "Calls", quota: "Calls of the plan", balance_points: "Points left" },
      ...{ days_left: "Days left at this pace", expires_at: "Expires", resets_at: "Begins anew" },
      ...{ model: "Model", from: "From the day (UTC)", changes: "What changes" },
    },
    subject: (what, organization) => `${what}: ${organization}`,
    organization: (name) => `It happened in the organization “${name}”.`,
    by: (name) => `“${name}” did it.`,
    fact: (name, value) => `${name}: “${value}”.`,
    open: (url) => (url ? `Open the console: ${url}` : "Open the console to see more."),
    choose: (url) => `You choose which mails you get in the settings of the console${url ? `: ${url}` : "."}`,
    stop: (url) => `To get no more such mails of this organization: ${url}`,
    last: "This is the last mail of today. The audit log in the console has the rest.",
  },
  zh: {
    kinds: {
      budget_reached: ["预算已达到阈值", "请提高预算，用完后调用会被拒绝。"],
      wallet_low: ["钱包余额不足", "请充值，余额用完后调用会被拒绝。"],
      auto_top_up_paused: ["自动充值已暂停", "银行卡扣款未成功。请手动充值，或重新开启自动充值。"],
      quota_reached: ["套餐额度已达到阈值", "请查看剩余额度和重置时间。"],
      plan_ended: ["套餐已到期", "使用套餐的调用会被拒绝。请购买套餐或使用钱包。"],
      key_expiring: ["密钥即将过期", "请新建密钥，或延长其有效期。"],
      price_announced: ["价格将调整", "请查看该模型自该日起的价格。"],
      order_credited: ["订单已支付", "点数或套餐已到账。"],
      order_refunded: ["订单已退款", "款项将由支付平台退回。"],
      points_credited: ["钱包已入账", "无需任何操作。"],
      invoice_issued: ["发票已开具", "请在控制台下载。"],
      invoice_rejected: ["发票申请被退回", "请查看原因后重新申请。"],
      invoice_voided: ["发票已作废", "请勿再使用。"],
      plan_changed: ["套餐已变更", "请查看当前套餐的内容。"],
      plan_end_changed: ["套餐到期时间已变更", "请查看新的到期时间。"],
      organization_frozen: ["组织已被冻结", "其调用会被拒绝。请联系我们了解原因。"],
      organization_unfrozen: ["组织已恢复使用", "无需任何操作。"],
      key_created: ["新建了密钥", "如果不是你们的操作，请吊销该密钥。"],
      key_rotated: ["密钥已更换", "请使用新密钥。如果不是你们的操作，请吊销该密钥。"],
      key_disabled: ["密钥已停用", "重新启用前，使用它的调用会被拒绝。"],
      key_enabled: ["密钥已启用", "如果不是你们的操作，请吊销该密钥。"],
      key_revoked: ["密钥已吊销", "使用它的调用会被拒绝，请改用其他密钥。"],
      provider_key_set: ["设置了供应商密钥", "调用可能由它付费。如果不是你们的操作，请移除。"],
      provider_key_removed: ["移除了供应商密钥", "请确认调用仍然正常。"],
      webhook_disabled: ["Webhook 已停用", "服务器恢复后请重新启用。"],
      member_joined: ["新成员加入", "如果不是你们邀请的，请移除该成员。"],
      member_role_changed: ["成员角色已变更", "请查看该角色的权限。"],
      member_projects_changed: ["成员的群组项目已变更", "请查看该成员可用的项目。"],
      member_removed: ["成员已被移除", "请检查其名下的密钥。"],
      member_left: ["成员已退出", "请检查其名下的密钥。"],
      sign_on_released: ["成员的登录绑定已解除", "请核对其下次登录的账号。"],
      account_linked: ["有账号改由你们的身份提供方登录", "如果你们不认识此人，请移除该成员。"],
    },
    facts: {
      ...{ name: "名称", plan: "套餐", points: "点数", amount: "金额", role: "角色" },
      ...{ percent: "百分比", spent_points: "已用点数", budget_points: "预算点数" },
      ...{ used: "已用次数", quota: "套餐次数", balance_points: "剩余点数" },
      ...{ days_left: "按当前用量可用天数", expires_at: "到期时间", resets_at: "重新计算时间" },
      ...{ model: "模型", from: "生效日期（UTC）", changes: "变更内容" },
    },
    subject: (what, organization) => `${what}：${organization}`,
    organization: (name) => `所在组织：“${name}”。`,
    by: (name) => `操作人：“${name}”。`,
    fact: (name, value) => `${name}：“${value}”。`,
    open: (url) => (url ? `打开控制台：${url}` : "详情请见控制台。"),
    choose: (url) => `可在控制台的设置中选择接收哪些邮件${url ? `：${url}` : "。"}`,
    stop: (url) => `不再接收该组织的此类邮件：${url}`,
    last: "这是今天的最后一封邮件，其余内容请见控制台的审计日志。",
  },
};

/** How much of a name a mail has, and of a text that nobody typed. */
const nameCharsMax = 64;
const ownTextCharsMax = 1_000;

/** What somebody typed, on one line and without characters that nobody sees. */
function plain(typed: string, charsMax = nameCharsMax): string {
  const seen = typed.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return [...seen].slice(0, charsMax).join("");
}

/** The mail about a line of the audit log: what happened, where, by whom, and what to do. */
export function newsMail(
  {
    kind,
    actor_name,
    before,
    after,
  }: Pick<AuditEntry, "actor_name" | "before" | "after"> & { kind: MailedKind },
  { organization, locale, consoleUrl, unsubscribe, isLast }: MailPlace,
): Mail {
  const said = locale.toLowerCase().startsWith("zh") ? words.zh : words.en;
  const [what, todo] = said.kinds[kind];
  const page = mailPageOf(kind);
  const names = Object.keys(said.facts) as (keyof Words["facts"])[];
  const facts = names.flatMap((name) => {
    const value = (after ?? before)?.[name];
    return value === undefined || value === null || value === ""
      ? []
      : [
          said.fact(
            said.facts[name],
            plain(String(value), name === "changes" ? ownTextCharsMax : nameCharsMax),
          ),
        ];
  });
  const text = [
    [`${what}${said === words.zh ? "。" : "."}`, said.organization(plain(organization)), ...facts],
    actor_name === "" ? [] : [said.by(plain(actor_name))],
    [todo],
    [said.open(consoleUrl && consoleUrl + page)],
    isLast ? [said.last] : [],
    [said.choose(consoleUrl && `${consoleUrl}/settings`)],
    unsubscribe === undefined ? [] : [said.stop(unsubscribe)],
  ];
  const paragraphs = text.filter(({ length }) => length > 0).map((sentences) => sentences.join(" "));
  const mail = laidOut({ subject: said.subject(what, plain(organization)), text: paragraphs }, locale);
  return unsubscribe === undefined ? mail : { ...mail, headers: unsubscribeHeaders(unsubscribe) };
}
