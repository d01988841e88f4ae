/** The form of a new key: what was typed, what is wrong with it, and the body that asks for the key. */
import type { ConsoleBody } from "../shared/edges/openapi/route-types.ts";
import type { BillingMode, BudgetPeriod } from "./api-types.ts";
import { choicesOf, type DefaultChoices, defaultsOf } from "./key-defaults.ts";

export const expiryDays = { never: 0, week: 7, month: 30, quarter: 90, year: 365 } as const;
export type Expiry = keyof typeof expiryDays;

export interface KeyForm {
  name: string;
  mode: BillingMode;
  project: string;
  expiry: Expiry;
  budget: string;
  budgetPeriod: BudgetPeriod | "none";
  concurrency: string;
  rpm: string;
  tpm: string;
  tpd: string;
  defaults: DefaultChoices;
}

export const emptyForm: KeyForm = {
  name: "",
  mode: "payg",
  project: "",
  expiry: "never",
  budget: "",
  budgetPeriod: "none",
  concurrency: "",
  rpm: "",
  tpm: "",
  tpd: "",
  defaults: choicesOf(),
};

export type NumberField = "concurrency" | "rpm" | "tpm" | "tpd";
export const rateFields = ["rpm", "tpm", "tpd"] as const;

/** The fields that cannot be sent as they are. */
export function wrongFields(form: KeyForm): Set<keyof KeyForm> {
  const wrong = new Set<keyof KeyForm>();
  for (const field of ["concurrency", ...rateFields] as const)
    if (form[field].trim() && !/^[1-9]\d{0,11}$/.test(form[field].trim())) wrong.add(field);
  const isBudget = /^\d{1,15}(?:\.\d{1,18})?$/.test(form.budget.trim()) && /[1-9]/.test(form.budget);
  if (form.budgetPeriod !== "none" && !isBudget) wrong.add("budget");
  return wrong;
}

type KeyBody = ConsoleBody<"create_key">;
/** The body of `POST /api/v1/keys`. A plan's rates are left out of a key that the wallet pays for. */
export function keyBody(form: KeyForm, now: number): KeyBody {
  const whole = (text: string) => (text.trim() ? Number(text.trim()) : undefined);
  const rates = form.mode === "subscription" ? rateFields.map((name) => [name, whole(form[name])]) : [];
  const limits = Object.fromEntries(
    [
      ...rates,
      ["max_concurrency", whole(form.concurrency)],
      ...(form.budgetPeriod === "none"
        ? []
        : [
            ["budget_points", form.budget.trim()],
            ["budget_period", form.budgetPeriod],
          ]),
    ].filter(([, value]) => value !== undefined),
  ) as NonNullable<KeyBody["limits"]>;
  const days = expiryDays[form.expiry];
  const defaults = defaultsOf(form.defaults);
  return {
    name: form.name.trim(),
    billing_mode: form.mode,
    ...(form.project.trim() && { project_id: form.project.trim() }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(defaults).length > 0 && { defaults }),
    ...(days > 0 && { expires_at: new Date(now + days * 86_400_000).toISOString() }),
  };
}
