/** What is chosen for the calls of the playground: who pays, which models, and how they answer. */
import { useState } from "preact/hooks";
import type { BillingMode, Model } from "../../../api-types.ts";
import { usualMode } from "../../../billing-mode.ts";
import { namesOf, type TurnModel } from "../../../chat-turns.ts";
import { fieldsOf } from "../../../parts/field.tsx";
import { query } from "../../../router.ts";
import { account } from "../../../session.ts";
import { callableModels } from "../../../snippets.ts";

interface Form {
  model: string;
  /** A second model that is asked the same; "" for none. */
  beside: string;
  mode: BillingMode;
  temperature: string;
  most: string;
  system: string;
  prompt: string;
}

/** The form of a call: who may pay for it, and for which models. */
export function usePlaygroundForm(first: string, models: Model[]) {
  const modes = [
    ...(account.value?.wallet ? (["payg"] as const) : []),
    ...(account.value?.plan ? (["subscription"] as const) : []),
  ];
  const plan = account.value?.plan?.plan ?? "";
  const mayPay = (mode: BillingMode) => callableModels(models, mode === "payg" ? undefined : plan);
  const usual = account.value ? usualMode(account.value, Date.now()) : "payg";
  // The page of a model leads here, and what usually pays may not pay for that one.
  const wished = query.value.get("model") ?? "";
  const pays = (mode: BillingMode) => mayPay(mode).some(({ id }) => id === wished);
  const mode = pays(usual) ? usual : (modes.find(pays) ?? usual);
  const [form, setForm] = useState<Form>({
    model: pays(mode) ? wished : (mayPay(mode)[0]?.id ?? ""),
    beside: "",
    mode,
    temperature: "",
    most: "",
    system: "",
    prompt: first,
  });
  const set = (change: Partial<Form>) => setForm((before) => ({ ...before, ...change }));
  const offered = mayPay(form.mode);
  const model = offered.find(({ id }) => id === form.model) ?? offered[0];
  const beside = offered.find(({ id }) => id === form.beside && id !== model?.id);
  /** The models that are asked, one or two. */
  const asked = [model, beside].filter((each) => each !== undefined);
  const names = namesOf(models);
  const nameOf = (of: Model) => names[models.indexOf(of)] ?? of.id;
  const toldOf = (of: Model): TurnModel => ({
    ...{ id: of.id, name: nameOf(of) },
    isSeeing: of.inputs.includes("image"),
  });
  const told = asked.map(toldOf);
  return { form, set, field: fieldsOf(form, set), modes, offered, nameOf, model, beside, asked, told };
}
