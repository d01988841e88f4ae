/** Playground: one call to a model, streamed through the gateway, with its receipt and its code. */
import { useState } from "preact/hooks";
import type { BillingMode, Model } from "../../../api-types.ts";
import { usualMode } from "../../../billing-mode.ts";
import { allPoints } from "../../../format.ts";
import { useRead } from "../../../load.ts";
import { mainPrice } from "../../../model-price.ts";
import { modelPath } from "../../../model-search.ts";
import type { PageProps } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Choice, Field, fieldsOf, Select } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty } from "../../../parts/note.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { TextArea } from "../../../parts/text-area.tsx";
import { usePlaygroundKey } from "../../../playground-key.ts";
import { query } from "../../../router.ts";
import { account } from "../../../session.ts";
import { settings } from "../../../settings.ts";
import { callableModels, sdkFamilies } from "../../../snippets.ts";
import { useChat } from "../../../use-chat.ts";
import { page as docsPage } from "../docs/page.ts";
import { page as modelsPage } from "../models/page.ts";
import { SdkCode } from "../sdk/sdk-code.tsx";
import { Answer } from "./playground-answer.tsx";

type Words = typeof import("./en.ts").words;

export function Page({ words }: PageProps<Words>) {
  const models = useRead<"list_models">("/api/v1/models");
  const chats = callableModels(models.value?.data ?? [], undefined);
  return (
    <Sheet lead={words.lead}>
      {settings.gateway_url === "" ? (
        <Empty title={words.noGateway}>{words.noGatewayLead}</Empty>
      ) : (
        <Loaded of={models} lines={8}>
          {() =>
            chats.length === 0 ? (
              <Empty title={words.noModels}>{words.noModelsLead}</Empty>
            ) : (
              <Try words={words} models={chats} />
            )
          }
        </Loaded>
      )}
    </Sheet>
  );
}

interface Form {
  model: string;
  mode: BillingMode;
  temperature: string;
  system: string;
  prompt: string;
}

const isTemperature = (text: string) =>
  text.trim() === "" || (/^\d(?:\.\d+)?$/.test(text.trim()) && Number(text) <= 2);

function bodyOf({ model, temperature, system, prompt }: Form): object {
  return {
    model,
    ...(temperature.trim() && { temperature: Number(temperature) }),
    messages: [
      ...(system.trim() ? [{ role: "system", content: system }] : []),
      { role: "user", content: prompt },
    ],
  };
}

/** The form of a call: who may pay for it, and for which models. */
function useForm(words: Words, models: Model[]) {
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
  const first = pays(usual) ? usual : (modes.find(pays) ?? usual);
  const [form, setForm] = useState<Form>({
    model: pays(first) ? wished : (mayPay(first)[0]?.id ?? ""),
    mode: first,
    temperature: "",
    system: "",
    prompt: words.first,
  });
  const set = (change: Partial<Form>) => setForm((before) => ({ ...before, ...change }));
  const offered = mayPay(form.mode);
  return {
    form,
    field: fieldsOf(form, set),
    modes,
    offered,
    model: offered.find(({ id }) => id === form.model) ?? offered[0],
  };
}

function Try({ words, models }: { words: Words; models: Model[] }) {
  const made = useForm(words, models);
  const { form, field, model } = made;
  const chat = useChat();
  const keyOf = usePlaygroundKey(words.keyName);
  const isReady = model !== undefined && form.prompt.trim() !== "" && isTemperature(form.temperature);
  const send = () => {
    if (isReady && !chat.isRunning)
      void chat.start(bodyOf({ ...form, model: model.id }), () => keyOf(form.mode));
  };
  return (
    <>
      <div class="try">
        <Choices words={words} of={made} onSend={send} />
        <div class="stack">
          <TextArea label={words.prompt} rows={5} {...field("prompt")} onSend={send} />
          <div class="row">
            {chat.isRunning ? (
              <Button onPress={chat.stop}>{words.stop}</Button>
            ) : (
              <Button look="main" icon="next" isDisabled={!isReady} onPress={send}>
                {words.send}
              </Button>
            )}
          </div>
          <p class="hint">{words.hint}</p>
          {chat.state && <Answer words={words} state={chat.state} />}
        </div>
      </div>
      <Section title={words.code} lead={words.codeLead} actions={<a href={docsPage.path}>{words.toDocs}</a>}>
        <SdkCode
          words={words.sdk}
          families={sdkFamilies(settings.gateway_url, () => model?.id ?? "", form.prompt)}
        />
      </Section>
    </>
  );
}

interface ChoicesProps {
  words: Words;
  of: ReturnType<typeof useForm>;
  onSend: () => void;
}

/** What is chosen beside the prompt. */
function Choices({ words, of: { form, field, modes, offered, model }, onSend }: ChoicesProps) {
  return (
    <div class="card">
      <Select
        label={words.model}
        hint={model && <Price words={words} model={model} />}
        value={model?.id ?? ""}
        options={offered.map(({ id, display_name }) => [id, display_name || id] as const)}
        onValue={field("model").onValue}
      />
      {modes.length > 1 && (
        <Choice<BillingMode>
          label={words.pays}
          options={modes.map((value) => ({ value, name: words.modes[value] }))}
          {...field("mode")}
        />
      )}
      <Field
        label={words.temperature}
        isOptional
        hint={words.temperatureHint}
        inputMode="decimal"
        autocomplete="off"
        {...field("temperature")}
        wrong={!isTemperature(form.temperature) && words.temperatureWrong}
      />
      <TextArea label={words.system} rows={3} {...field("system")} onSend={onSend} />
    </div>
  );
}

/** What tokens cost, at the first tier of the model's price, and the way to all of its price. */
function Price({ words, model }: { words: Words; model: Model }) {
  const { input, output, isTiered } = mainPrice(model) ?? {};
  const { id, discount_rate } = model;
  return (
    <>
      {input && output && words.price(allPoints(input), allPoints(output))}
      {isTiered && ` ${words.tiered}`}
      {discount_rate !== "1" && ` ${words.discount(discount_rate)}`}{" "}
      <a href={`${modelsPage.path}/${modelPath(id)}`}>{words.about}</a>
    </>
  );
}
