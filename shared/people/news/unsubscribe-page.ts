/** The page of a link in a mail, in each language (mails.md "Off with one click"). It has no script, and loads nothing. */
import type { Locale } from "../identity/user.ts";
import type { MailGroup } from "./mail-kinds.ts";
import type { Unsubscription } from "./unsubscribe.ts";

interface Words {
  title: string;
  groups: Record<MailGroup, string>;
  ask(group: string, organization: string): string;
  button: string;
  done(group: string, organization: string): string;
  again: string;
}

const words: Readonly<Record<Locale, Words>> = {
  en: {
    title: "Mails",
    groups: { money: "money", plans: "the plan", keys: "keys", people: "members" },
    ask: (group, organization) => `Get no more mails about ${group} of “${organization}”?`,
    button: "Turn them off",
    done: (group, organization) => `You get no more mails about ${group} of “${organization}”.`,
    again: "You can turn them on again in the settings of the console.",
  },
  zh: {
    title: "邮件",
    groups: { money: "费用", plans: "套餐", keys: "密钥", people: "成员" },
    ask: (group, organization) => `不再接收“${organization}”的${group}类邮件？`,
    button: "停止接收",
    done: (group, organization) => `你将不再收到“${organization}”的${group}类邮件。`,
    again: "可在控制台的设置中重新开启。",
  },
};

/** What a page may do: send its form to where it came from, and nothing else. */
export const unsubscribePolicy =
  "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** The page before (`isDone` false) or after its button. `organization`: its name, which others have typed. */
export function unsubscribePage(
  { group, locale }: Unsubscription,
  organization: string,
  isDone: boolean,
): string {
  const language = locale.toLowerCase().startsWith("zh") ? "zh" : "en";
  const said = words[language];
  const told = (isDone ? said.done : said.ask)(said.groups[group], organization);
  const rest = isDone
    ? `<p>${said.again}</p>`
    : `<form method="post"><button name="List-Unsubscribe" value="One-Click">${said.button}</button></form>`;
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${said.title}</title></head><body><main><h1>${said.title}</h1><p>${escaped(told)}</p>${rest}</main></body></html>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
