/** Docs: the key, a program for each SDK, base URLs, coding agents, and the way to the reference. */
import { useState } from "preact/hooks";
import { agentBlocks, agentSetups, helpedAgents, signInLines } from "../../../agents.ts";
import type { Model } from "../../../api-types.ts";
import { useRead } from "../../../load.ts";
import type { PageProps } from "../../../page.ts";
import { ButtonLink } from "../../../parts/button.tsx";
import { Code } from "../../../parts/code.tsx";
import { Choice } from "../../../parts/field.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Empty } from "../../../parts/note.tsx";
import { Section, Sheet } from "../../../parts/sheet.tsx";
import { Table } from "../../../parts/table.tsx";
import { keyVariable, type SdkProtocol } from "../../../sdk-programs.ts";
import { account, madeKey, may } from "../../../session.ts";
import { settings } from "../../../settings.ts";
import { programModel, sdkFamilies } from "../../../snippets.ts";
import { page as keysPage } from "../keys/page.ts";
import { page as modelsPage } from "../models/page.ts";
import { SdkCode } from "../sdk/sdk-code.tsx";

type Words = typeof import("./en.ts").words;

export function Page({ words }: PageProps<Words>) {
  const models = useRead<"list_models">("/api/v1/models");
  const url = settings.gateway_url;
  return (
    <Sheet lead={words.lead}>
      {url === "" ? (
        <Empty title={words.noGateway}>{words.noGatewayLead}</Empty>
      ) : (
        <>
          <Key words={words} />
          <Loaded of={models} lines={8}>
            {({ data }) => <Programs words={words} url={url} models={data} />}
          </Loaded>
          <Section title={words.reference} lead={words.referenceLead}>
            <div class="row">
              <a class="button plain" href={`${url}/docs`} target="_blank" rel="noopener noreferrer">
                {words.openReference}
              </a>
            </div>
          </Section>
        </>
      )}
    </Sheet>
  );
}

function Key({ words }: { words: Words }) {
  const secret = madeKey.value?.key;
  return (
    <Section title={words.key} lead={secret ? words.keyFilled : words.keyLead}>
      <Code label={words.keyLine} text={`export ${keyVariable}=${secret ?? words.yourKey}`} />
      {!secret && may("manage_own_keys") && (
        <div class="row">
          <ButtonLink look="main" icon="plus" href={`${keysPage.path}?new=1`}>
            {words.makeKey}
          </ButtonLink>
        </div>
      )}
    </Section>
  );
}

function Programs({ words, url, models }: { words: Words; url: string; models: readonly Model[] }) {
  // A key of the wallet may call the plan's models too, so without a key the programs name those.
  const plan = madeKey.value?.billing_mode === "payg" ? undefined : account.value?.plan?.plan;
  const modelFor = (protocol: SdkProtocol) => programModel(models, plan, protocol) ?? "MODEL";
  const families = sdkFamilies(url, modelFor);
  return (
    <>
      <Section title={words.program} actions={<a href={modelsPage.path}>{words.toModels}</a>}>
        <SdkCode words={words.sdk} families={families} />
      </Section>
      <Section title={words.addresses} lead={words.addressesLead}>
        <Table
          caption={words.addresses}
          rows={families}
          keyOf={({ name }) => name}
          columns={[
            [words.sdkName, ({ name }) => name],
            [words.address, ({ baseUrl }) => <code>{baseUrl}</code>],
          ]}
        />
      </Section>
      <Agents words={words} url={url} modelFor={modelFor} />
      {may("manage_own_keys") && <SignIn words={words} url={url} modelFor={modelFor} />}
    </>
  );
}

interface AgentsProps {
  words: Words;
  url: string;
  modelFor: (protocol: SdkProtocol) => string;
}

function Agents({ words, url, modelFor }: AgentsProps) {
  const agents = agentSetups({ url, key: `$${keyVariable}` }, modelFor);
  const [name, setName] = useState(agents[0]?.name ?? "");
  const agent = agents.find((each) => each.name === name);
  return (
    <Section title={words.agents} lead={words.agentsLead}>
      <div class="stack">
        <Choice
          label={words.agent}
          value={name}
          options={agents.map((each) => ({ value: each.name, name: each.name }))}
          onValue={setName}
        />
        {agent &&
          agentBlocks(agent).map(({ file, language, text }) => (
            <Code key={language} label={file ?? words.agentLines[language]} text={text} />
          ))}
      </div>
    </Section>
  );
}

type HelpedAgent = keyof typeof helpedAgents;
const helped = Object.keys(helpedAgents) as HelpedAgent[];

/** The lines that sign a terminal in, and the settings of agents that ask it for the key. */
function SignIn({ words, url, modelFor }: AgentsProps) {
  const [name, setName] = useState<HelpedAgent>("Claude Code");
  const protocol = name === "Codex" ? "openai" : "anthropic";
  const { path, text } = helpedAgents[name]({ url, model: modelFor(protocol) });
  return (
    <Section title={words.signIn} lead={words.signInLead}>
      <div class="stack">
        <Code label={words.signInLines} text={signInLines(location.origin)} />
        <Choice
          label={words.signInAgent}
          value={name}
          options={helped.map((value) => ({ value, name: value }))}
          onValue={setName}
        />
        <Code label={`${words.signIn}: ~/${path}`} text={text} />
      </div>
    </Section>
  );
}
