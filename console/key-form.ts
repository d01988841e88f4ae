/** The form of a key: what was typed, what is wrong with it, and the bodies that make the key and change it. */
import type { ConsoleBody } from "../shared/edges/openapi/route-types.ts";
import type { ApiKey, BillingMode, BudgetPeriod } from "./api-types.ts";
import { changedDefaults, choicesOf, type DefaultChoices, defaultsOf } from "./key-defaults.ts";
import { isPoints } from "./points-text.ts";

export const expiryDays = { never: 0, week: 7, month: 30, quarter: 90, year: 365 } as const;
type Expiry = keyof typeof expiryDays;
/** What is chosen of the end of a key that is there: `kept` is as it is. */
export type ChangedExpiry = Expiry | "kept";

export interface KeyForm {
  name: string;
  mode: BillingMode;
  project: string;
  expiry: ChangedExpiry;
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
  if (form.budgetPeriod !== "none" && !isPoints(form.budget)) wrong.add("budget");
  return wrong;
}

type KeyBody = ConsoleBody<"create_key">;
/** The body of `POST /api/v1/keys`. A plan's rates are left out of a key that the wallet pays for. */
export function keyBody(form: KeyForm, now: number): KeyBody {
  const limits = Object.fromEntries(
    Object.entries(limitsOf(form)).filter(([, value]) => value !== undefined),
  ) as NonNullable<KeyBody["limits"]>;
  const ends = endOf(form, now);
  const defaults = defaultsOf(form.defaults);
  return {
    name: form.name.trim(),
    billing_mode: form.mode,
    ...(form.project.trim() && { project_id: form.project.trim() }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(defaults).length > 0 && { defaults }),
    ...(ends && { expires_at: ends }),
  };
}

/** The form of a key that is there. */
export function formOf({ name, billing_mode, project_id, limits, defaults }: ApiKey): KeyForm {
  const text = (value: number | undefined) => (value === undefined ? "" : String(value));
  return {
    name: name ?? "",
    mode: billing_mode,
    project: project_id ?? "",
    expiry: "kept",
    budget: limits?.budget_points ?? "",
    budgetPeriod: limits?.budget_period ?? "none",
    concurrency: text(limits?.max_concurrency),
    rpm: text(limits?.rpm),
    tpm: text(limits?.tpm),
    tpd: text(limits?.tpd),
    defaults: choicesOf(defaults),
  };
}

/** The body of `PATCH /api/v1/keys/{id}`: what was taken away is null. */
export function keyChange(form: KeyForm, now: number): ConsoleBody<"change_key"> {
  const limits = Object.entries(limitsOf(form)).map(([name, value]) => [name, value ?? null]);
  return {
    name: form.name.trim(),
    project_id: form.project.trim() || null,
    limits: Object.fromEntries(limits),
    defaults: changedDefaults(form.defaults),
    ...(form.expiry !== "kept" && { expires_at: endOf(form, now) }),
  };
}

/** The limits of a form, with those that it does not have as undefined. */
function limitsOf(form: KeyForm) {
  const whole = (text: string) => (text.trim() ? Number(text.trim()) : undefined);
  const isBudgeted = form.budgetPeriod !== "none";
  return {
    ...(form.mode === "subscription" &&
      Object.fromEntries(rateFields.map((name) => [name, whole(form[name])]))),
    max_concurrency: whole(form.concurrency),
    budget_points: isBudgeted ? form.budget.trim() : undefined,
    budget_period: isBudgeted ? form.budgetPeriod : undefined,
  };
}

/** When a key of the form ends; null for never. */
function endOf({ expiry }: KeyForm, now: number): string | null {
  const days = expiry === "kept" ? 0 : expiryDays[expiry];
  return days > 0 ? new Date(now + days * 86_400_000).toISOString() : null;
}
