/** Playground: a conversation with a model or with two side by side, streamed through the gateway, with receipts and code. */
import { useRef, useState } from "preact/hooks";
import type { BillingMode, Model } from "../../../api-types.ts";
import { bodyOf, type ChatQuestion, isMost, isTemperature, latestTurns } from "../../../chat-turns.ts";
import { allPoints } from "../../../format.ts";
import { useRead } from "../../../load.ts";
import { mainPrice } from "../../../model-price.ts";
import { modelPath } from "../../../model-search.ts";
import type { PageProps } from "../../../page.ts";
import { Button } from "../../../parts/button.tsx";
import { Choice, Field, Select } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty } from "../../../parts/note.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { TextArea } from "../../../parts/text-area.tsx";
import { usePlaygroundKey } from "../../../playground-key.ts";
import { settings } from "../../../settings.ts";
import { callableModels, sdkFamilies } from "../../../snippets.ts";
import { useChat } from "../../../use-chat.ts";
import { page as docsPage } from "../docs/page.ts";
import { page as modelsPage } from "../models/page.ts";
import { SdkCode } from "../sdk/sdk-code.tsx";
import { usePlaygroundForm } from "./playground-form.ts";
import { Pictures, usePictures } from "./playground-pictures.tsx";
import { Turns } from "./playground-turns.tsx";

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

/** The conversations with both models, which are asked the same. */
function useConversation(
  words: Words,
  { form, set, asked: models, told }: ReturnType<typeof usePlaygroundForm>,
) {
  const [chats, pictures] = [[useChat(), useChat()], usePictures()];
  const [asks, setAsks] = useState<readonly ChatQuestion[]>([]);
  const keyOf = usePlaygroundKey(words.keyName);
  const isSeeing = told.every((model) => model.isSeeing);
  const isRunning = chats.some((chat) => chat.isRunning);
  const isReady =
    models.length > 0 &&
    form.prompt.trim() !== "" &&
    isTemperature(form.temperature) &&
    isMost(form.most, models);
  const send = () => {
    if (!isReady || isRunning) return;
    const asked = { text: form.prompt, pictures: isSeeing ? pictures.taken : [] };
    setAsks((before) => [...before, asked]);
    for (const [at, model] of told.entries()) {
      // The first model goes on with the whole conversation, the one beside it with its own turns.
      const body = (turns: Parameters<typeof bodyOf>[2]) =>
        bodyOf(form, model, at === 0 ? turns : latestTurns(asks, turns, model), asked);
      void chats[at]?.ask(asked, model, body, () => keyOf(form.mode));
    }
    set({ prompt: "" });
    if (isSeeing) pictures.sent();
  };
  const clear = () => {
    for (const chat of chats) chat.clear();
    setAsks([]);
    pictures.beginAnew();
  };
  const stop = () => {
    for (const chat of chats) chat.stop();
  };
  return { chats, asks, pictures, isSeeing, isRunning, isReady, send, stop, clear };
}

function Try({ words, models }: { words: Words; models: Model[] }) {
  const made = usePlaygroundForm(words.first, models);
  const { form, field, model } = made;
  const talk = useConversation(words, made);
  const prompt = useRef<HTMLDivElement>(null);
  const last = talk.asks.at(-1)?.text ?? words.first;
  return (
    <>
      <div class="try">
        <Choices words={words} of={made} onSend={talk.send} />
        <div class="stack">
          <Turns words={words} asks={talk.asks} chats={talk.chats} />
          <div class="stack" ref={prompt}>
            <TextArea label={words.prompt} rows={5} {...field("prompt")} onSend={talk.send} />
            {talk.isSeeing ? (
              <Pictures words={words} of={talk.pictures} />
            ) : (
              talk.pictures.taken.length > 0 && <p class="hint">{words.picturesWait}</p>
            )}
          </div>
          <div class="row">
            {talk.isRunning ? (
              <Button onPress={talk.stop}>{words.stop}</Button>
            ) : (
              <Button look="main" icon="next" isDisabled={!talk.isReady} onPress={talk.send}>
                {words.send}
              </Button>
            )}
            {talk.asks.length > 0 && (
              <Button
                look="quiet"
                onPress={() => {
                  talk.clear();
                  prompt.current?.querySelector("textarea")?.focus();
                }}
              >
                {words.anew}
              </Button>
            )}
          </div>
          <p class="hint">{words.hint}</p>
        </div>
      </div>
      <Section title={words.code} lead={words.codeLead} actions={<a href={docsPage.path}>{words.toDocs}</a>}>
        <SdkCode
          words={words.sdk}
          families={sdkFamilies(settings.gateway_url, () => model?.id ?? "", form.prompt || last)}
        />
      </Section>
    </>
  );
}

interface ChoicesProps {
  words: Words;
  of: ReturnType<typeof usePlaygroundForm>;
  onSend: () => void;
}

/** What is chosen beside the prompt. */
function Choices({ words, of: made, onSend }: ChoicesProps) {
  const { form, field, modes, offered, nameOf, model, beside, asked } = made;
  const named = offered.map((each) => [each.id, nameOf(each)] as const);
  return (
    <div class="card">
      <Select
        label={words.model}
        hint={model && <Price words={words} model={model} />}
        value={model?.id ?? ""}
        options={named}
        onValue={field("model").onValue}
      />
      <Select
        label={words.beside}
        hint={beside && <Price words={words} model={beside} />}
        value={beside?.id ?? ""}
        options={[["", words.noBeside], ...named.filter(([id]) => id !== model?.id)]}
        onValue={field("beside").onValue}
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
      <Field
        label={words.most}
        isOptional
        hint={words.mostHint}
        inputMode="numeric"
        autocomplete="off"
        {...field("most")}
        wrong={!isMost(form.most, asked) && words.mostWrong(mostOf(asked))}
      />
      <TextArea label={words.system} rows={3} {...field("system")} onSend={onSend} />
    </div>
  );
}

/** The longest answer that all of these models write. */
const mostOf = (models: readonly Model[]) => Math.min(...models.map(({ output_tokens }) => output_tokens));

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
