/** What mails with codes say, in each language, and how all mails are laid out. Nothing here comes from a stranger. */
import { consoleLimits } from "../../../base/console-limits.ts";
import type { PlanEnding } from "../sending.ts";
import type { Locale } from "../user.ts";

/** A mail before it is laid out. */
interface MailWords {
  subject: string;
  /** Its paragraphs. */
  text: string[];
  /** What stands large in the middle of it. */
  code?: string;
}

interface Words {
  code(code: string): MailWords;
  planEnds(ending: PlanEnding): MailWords;
}

const minutes = consoleLimits.codeSeconds / 60;

const words: Readonly<Record<Locale, Words>> = {
  en: {
    code: (code) => ({
      subject: "Your verification code",
      text: [
        `Your code is good for ${minutes} minutes, and once.`,
        "Nobody from us ever asks for it. If you did not want to sign in, do nothing.",
      ],
      code,
    }),
    planEnds: ({ plan, days }) => ({
      subject: days === 1 ? "Your plan ends tomorrow" : `Your plan ends in ${days} days`,
      text: [`The plan ${plan} ends then. Renew it in the console to keep it.`],
    }),
  },
  zh: {
    code: (code) => ({
      subject: "你的验证码",
      text: [
        `验证码 ${minutes} 分钟内有效，只能使用一次。`,
        "我们不会向你索要验证码。如果不是你本人在登录，请忽略这封邮件。",
      ],
      code,
    }),
    planEnds: ({ plan, days }) => ({
      subject: `你的套餐将在 ${days} 天后到期`,
      text: [`套餐 ${plan} 即将到期。如需继续使用，请在控制台续费。`],
    }),
  },
};

/** A mail as a service takes it. */
export interface Mail {
  subject: string;
  text: string;
  html: string;
  /** Headers beside those that every mail has. */
  headers?: Readonly<Record<string, string>>;
}

/** The mail with a code, in the words of a language; English for one that we do not have. */
export function codeMail(code: string, locale: string): Mail {
  return laidOut(wordsOf(locale).code(code), locale);
}

/** The mail that a plan ends. */
export function planMail(ending: PlanEnding, locale: string): Mail {
  return laidOut(wordsOf(locale).planEnds(ending), locale);
}

function wordsOf(locale: string): Words {
  return locale.toLowerCase().startsWith("zh") ? words.zh : words.en;
}

/**
 * The same words as text and as HTML. The HTML loads nothing, so opening it tells nobody. What is in the words is text
 * there too.
 */
export function laidOut({ subject, text, code }: MailWords, locale: string): Mail {
  const language = wordsOf(locale) === words.zh ? "zh" : "en";
  const shown =
    code === undefined ? "" : `<p style="font-size:28px;letter-spacing:4px"><b>${escaped(code)}</b></p>`;
  const paragraphs = text.map((each) => `<p>${escaped(each)}</p>`).join("");
  return {
    subject,
    text: `${[...(code === undefined ? [] : [code]), ...text].join("\n\n")}\n`,
    html: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><title>${escaped(subject)}</title></head><body style="font-family:sans-serif">${shown}${paragraphs}</body></html>`,
  };
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
