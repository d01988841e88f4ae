/**
 * How each vendor's SDK calls a gateway: the base URL, the line that makes a client, and a program that runs. The local
 * gateway's page of programs is made of the same (infra/local/snippets.ts).
 */

export interface Snippet {
  language: "JavaScript" | "Python";
  /** What npm or pip installs. */
  package: string;
  /** The expression that makes the client, with the key from the environment. */
  client: string;
  /** A whole program. It prints an answer. */
  program: string;
}

export interface SdkFamily {
  name: string;
  baseUrl: string;
  snippets: Snippet[];
}

/** The protocols that the five families speak. */
export type SdkProtocol = "openai" | "anthropic" | "gemini" | "ark" | "zhipu";

/** The name of the variable that the clients read their key from. */
export const keyVariable = "GATEWAY_KEY";

const js = `process.env.${keyVariable}`;
const py = `os.environ["${keyVariable}"]`;

/** What the choice of a model looks at: the console's list of models has these members, and the catalog too. */
export interface ProgramModel {
  id: string;
  capabilities: readonly string[];
  /** Those that its providers speak. */
  protocols: readonly string[];
  /** What an organization must have been given before it may use the model. Null: nothing. */
  permission: string | null;
  /** The plans whose keys may use it. */
  plans: readonly string[];
}

/** The models to chat with that a key may call: one of a plan those of the plan, and one of the wallet all of them. */
export function callableModels<Model extends ProgramModel>(
  models: readonly Model[],
  plan: string | undefined,
): Model[] {
  return models.filter(
    ({ capabilities, permission, plans }) =>
      capabilities.includes("chat") && !permission && (plan === undefined || plans.includes(plan)),
  );
}

/**
 * The id of the model that a program names, for a key of the plan. The first model is taken that the key may call and
 * whose provider speaks the protocol; if there is none, the first that the key may call. Without a plan the wallet pays.
 */
export function programModel(
  models: readonly ProgramModel[],
  plan: string | undefined,
  protocol: SdkProtocol,
): string | undefined {
  const callable = callableModels(models, plan);
  return (callable.find(({ protocols }) => protocols.includes(protocol)) ?? callable[0])?.id;
}

/** The model and the prompt of a program, as it spells them: both languages read the strings of JSON. */
interface Asked {
  model: string;
  prompt: string;
}

/** The five families at a gateway. `modelFor` gives the id of a model for each; every program asks `prompt`. */
export function sdkFamilies(
  url: string,
  modelFor: (protocol: SdkProtocol) => string,
  prompt = "Say hello.",
): SdkFamily[] {
  const asked = (protocol: SdkProtocol): Asked => ({
    model: JSON.stringify(modelFor(protocol)),
    prompt: JSON.stringify(prompt),
  });
  return [
    openai(`${url}/v1`, asked("openai")),
    anthropic(url, asked("anthropic")),
    google(url, asked("gemini")),
    ark(`${url}/api/v3`, asked("ark")),
    zhipu(`${url}/api/paas/v4`, asked("zhipu")),
  ];
}

/** What installs a snippet's package. */
export function installOf({ language, package: name }: Snippet): string {
  return `${language === "Python" ? "pip" : "npm"} install ${name}`;
}

const messages = ({ prompt }: Asked) => `[{ role: "user", content: ${prompt} }]`;
const pyMessages = ({ prompt }: Asked) => `[{"role": "user", "content": ${prompt}}]`;

function openai(baseUrl: string, asked: Asked): SdkFamily {
  return {
    name: "OpenAI",
    baseUrl,
    snippets: [
      openaiJs(baseUrl, asked),
      python("openai", "OpenAI", `base_url="${baseUrl}"`, [
        `answer = client.chat.completions.create(model=${asked.model}, messages=${pyMessages(asked)})`,
        "print(answer.choices[0].message.content)",
      ]),
    ],
  };
}

function openaiJs(baseUrl: string, asked: Asked): Snippet {
  return javascript("openai", "OpenAI", `new OpenAI({ baseURL: "${baseUrl}", apiKey: ${js} })`, [
    `const answer = await client.chat.completions.create({ model: ${asked.model}, messages: ${messages(asked)} });`,
    "console.log(answer.choices[0].message.content);",
  ]);
}

function anthropic(baseUrl: string, asked: Asked): SdkFamily {
  return {
    name: "Anthropic",
    baseUrl,
    snippets: [
      javascript(
        "@anthropic-ai/sdk",
        "Anthropic",
        `new Anthropic({ baseURL: "${baseUrl}", apiKey: ${js} })`,
        [
          `const answer = await client.messages.create({ model: ${asked.model}, max_tokens: 200, messages: ${messages(asked)} });`,
          'console.log(answer.content.map((block) => block.text ?? "").join(""));',
        ],
      ),
      python("anthropic", "Anthropic", `base_url="${baseUrl}"`, [
        `answer = client.messages.create(model=${asked.model}, max_tokens=200, messages=${pyMessages(asked)})`,
        'print("".join(block.text for block in answer.content if block.type == "text"))',
      ]),
    ],
  };
}

function google(baseUrl: string, asked: Asked): SdkFamily {
  const client = `new GoogleGenAI({ httpOptions: { baseUrl: "${baseUrl}" }, apiKey: ${js} })`;
  return {
    name: "Google Gen AI",
    baseUrl,
    snippets: [
      javascript("@google/genai", "{ GoogleGenAI }", client, [
        `const answer = await client.models.generateContent({ model: ${asked.model}, contents: ${asked.prompt} });`,
        "console.log(answer.text);",
      ]),
      {
        language: "Python",
        package: "google-genai",
        client: `genai.Client(http_options={"base_url": "${baseUrl}"}, api_key=${py})`,
        program: lines(
          "import os",
          "from google import genai",
          `client = genai.Client(http_options={"base_url": "${baseUrl}"}, api_key=${py})`,
          `answer = client.models.generate_content(model=${asked.model}, contents=${asked.prompt})`,
          "print(answer.text)",
        ),
      },
    ],
  };
}

/** Volcengine has no SDK for JavaScript: its users take OpenAI's. */
function ark(baseUrl: string, asked: Asked): SdkFamily {
  return {
    name: "Volcengine Ark",
    baseUrl,
    snippets: [
      openaiJs(baseUrl, asked),
      {
        ...python("volcenginesdkarkruntime", "Ark", `base_url="${baseUrl}"`, [
          `answer = client.chat.completions.create(model=${asked.model}, messages=${pyMessages(asked)})`,
          "print(answer.choices[0].message.content)",
        ]),
        package: "volcengine-python-sdk[ark]",
      },
    ],
  };
}

/** Zhipu's provider for Vercel's `ai` is the one for JavaScript. */
function zhipu(baseUrl: string, asked: Asked): SdkFamily {
  const client = `createZhipu({ baseURL: "${baseUrl}", apiKey: ${js} })`;
  return {
    name: "Zhipu",
    baseUrl,
    snippets: [
      {
        language: "JavaScript",
        package: "ai zhipu-ai-provider",
        client,
        program: lines(
          'import { generateText } from "ai";',
          'import { createZhipu } from "zhipu-ai-provider";',
          `const client = ${client};`,
          `const answer = await generateText({ model: client(${asked.model}), prompt: ${asked.prompt} });`,
          "console.log(answer.text);",
        ),
      },
      {
        ...python("zai", "ZhipuAiClient", `base_url="${baseUrl}"`, [
          `answer = client.chat.completions.create(model=${asked.model}, messages=${pyMessages(asked)})`,
          "print(answer.choices[0].message.content)",
        ]),
        package: "zai-sdk",
      },
    ],
  };
}

function javascript(from: string, imported: string, client: string, then: string[]): Snippet {
  const program = lines(`import ${imported} from "${from}";`, `const client = ${client};`, ...then);
  return { language: "JavaScript", package: from, client, program };
}

function python(module: string, imported: string, base: string, then: string[]): Snippet {
  const client = `${imported}(${base}, api_key=${py})`;
  const program = lines("import os", `from ${module} import ${imported}`, `client = ${client}`, ...then);
  return { language: "Python", package: module, client, program };
}

const lines = (...all: string[]) => all.join("\n");
