/** The terms of automatic top-up: when, how much, at most how much a month; on and off. */
import { useState } from "preact/hooks";
import type { ConsoleBody } from "../../../../shared/edges/openapi/route-types.ts";
import type { PaymentMethod, TopUpSettings } from "../../../api-types.ts";
import { allPoints, money } from "../../../format.ts";
import { useAction } from "../../../load.ts";
import { Button } from "../../../parts/button.tsx";
import { Field, fieldsOf } from "../../../parts/field.tsx";
import { ProblemNote } from "../../../parts/note.tsx";
import { api } from "../../../session.ts";
import { leastOfMonth, type TopUpForm, topUpBody, topUpForm, wrongTopUp } from "../../../top-up-form.ts";
import { frameWords } from "../../../words.ts";
import { PayBy, waysOf } from "../orders/pay-by.tsx";

type Words = typeof import("./en.ts").words;

const path = "/api/v1/auto-top-up";

interface TermsProps {
  words: Words;
  read: TopUpSettings;
  /** Not empty. */
  methods: readonly PaymentMethod[];
  /** The card in words. */
  card: string;
  /** What is stored may be another. */
  onChange: () => void;
}

export function TopUpTermsForm({ words, read, methods, card, onChange }: TermsProps) {
  const [currency, setCurrency] = useState(read.currency);
  const [form, setForm] = useState(topUpForm(read));
  const [isWrong, setWrong] = useState(false);
  const { run, isRunning, problem } = useAction();
  const [done, setDone] = useState<"on" | "off">();
  const method = methods.find((each) => each.currency === currency) ?? methods[0];
  if (!method) return null;
  const set = async (body: ConsoleBody<"set_auto_top_up">) => {
    if (isRunning) return;
    setDone(undefined);
    const kept = await run(() => api.put<"set_auto_top_up">(path, body));
    if (!kept) return;
    if (body.on) setForm(topUpForm(kept));
    setDone(body.on ? "on" : "off");
    onChange();
  };
  const change = (changed: TopUpForm) => {
    setForm(changed);
    setDone(undefined);
  };
  const body = topUpBody(form, method);
  const submit = (event: Event) => {
    event.preventDefault();
    setWrong(!body);
    if (body) void set(body);
  };
  const turnOn = { off: words.topUpOn, on: words.topUpKeep, paused: words.topUpAgain };
  return (
    <form class="card narrow stack" onSubmit={submit} noValidate>
      <TermsFields {...{ words, methods, method, form, isWrong }} onForm={change} onCurrency={setCurrency} />
      {body && <p>{saysOf(words, body, card)}</p>}
      <ProblemNote problem={problem} />
      <div class="row">
        <Button type="submit" isBusy={isRunning}>
          {turnOn[read.state]}
        </Button>
        <Button isDisabled={isRunning || read.state === "off"} onPress={() => void set({ on: false })}>
          {words.topUpOff}
        </Button>
        <span role="status">{done && words.topUpDone[done]}</span>
      </div>
    </form>
  );
}

/** What it will do by the terms, in one sentence. */
function saysOf(words: Words, terms: NonNullable<ReturnType<typeof topUpBody>>, card: string): string {
  const { below_points, amount, month_max, currency } = terms;
  return words.topUpSays(allPoints(below_points), money(amount, currency), card, money(month_max, currency));
}

interface FieldsProps extends Pick<TermsProps, "words" | "methods"> {
  method: PaymentMethod;
  form: TopUpForm;
  isWrong: boolean;
  onForm: (form: TopUpForm) => void;
  onCurrency: (currency: string) => void;
}

function TermsFields({ words, methods, method, form, isWrong, onForm, onCurrency }: FieldsProps) {
  const { currency, min, max } = method;
  const wrong = isWrong ? wrongTopUp(form, method) : new Set();
  const of = fieldsOf(form, (changed) => onForm({ ...form, ...changed }));
  const bounds = [money(min, currency), money(max, currency)] as const;
  const ways = waysOf(methods).filter(({ channel }) => channel === "stripe");
  const way = ways.find((each) => each.method === method);
  const typed = { inputMode: "decimal", autocomplete: "off" } as const;
  return (
    <>
      {way && ways.length > 1 && (
        <PayBy
          words={words.orders}
          ways={ways}
          value={way}
          onValue={(chosen) => onCurrency(chosen.method.currency)}
        />
      )}
      <Field
        {...typed}
        label={words.topUpBelow}
        after={frameWords.value.points}
        {...of("below")}
        wrong={wrong.has("below") && words.lowPointsWrong}
      />
      <Field
        {...typed}
        label={words.topUpAmount}
        hint={words.bounds(...bounds)}
        before={currency}
        {...of("amount")}
        wrong={wrong.has("amount") && words.wrong(...bounds)}
      />
      <Field
        {...typed}
        label={words.topUpMost}
        hint={words.topUpMostHint}
        before={currency}
        {...of("most")}
        wrong={wrong.has("most") && words.topUpMostWrong(money(leastOfMonth(form, method), currency))}
      />
    </>
  );
}
