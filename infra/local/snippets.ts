/** How to use each vendor's SDK with a gateway: the base URL, the line that makes a client, and a program that runs. */
import type { Catalog, ModelEntry, ProviderProtocol } from "#shared/catalog/catalog.ts";

interface Snippet {
  language: "JavaScript" | "Python";
  /** What npm or pip installs. */
  package: string;
  /** The expression that makes the client, with the key from the environment. */
  client: string;
  /** A whole program. It prints an answer. */
  program: string;
}

interface SdkFamily {
  name: string;
  baseUrl: string;
  snippets: Snippet[];
}

/** The name of the variable that the clients read their key from. */
export const keyVariable = "GATEWAY_KEY";

const js = `process.env.${keyVariable}`;
const py = `os.environ["${keyVariable}"]`;
const prompt = "Say hello.";

/** The five families at a gateway, each with a model of its vendor's where the catalog has one. */
export function sdkFamilies(url: string, catalog: Catalog): SdkFamily[] {
  const model = (protocol: ProviderProtocol) => chatModel(catalog, protocol)?.id ?? "MODEL";
  return [
    openai(`${url}/v1`, model("openai")),
    anthropic(url, model("anthropic")),
    google(url, model("gemini")),
    ark(`${url}/api/v3`, model("ark")),
    zhipu(`${url}/api/paas/v4`, model("zhipu")),
  ];
}

/** The first model to chat with whose provider speaks the protocol, else the first of any. */
export function chatModel(
  { models, providers }: Catalog,
  protocol: ProviderProtocol,
): ModelEntry | undefined {
  const chats = models.filter(({ capabilities }) => capabilities.includes("chat"));
  const speaks = ({ channels }: ModelEntry) =>
    channels.some(({ provider }) => providers[provider]?.protocols[protocol] !== undefined);
  return chats.find(speaks) ?? chats[0];
}

const messages = `[{ role: "user", content: "${prompt}" }]`;
const pyMessages = `[{"role": "user", "content": "${prompt}"}]`;

function openai(baseUrl: string, model: string): SdkFamily {
  return {
    name: "OpenAI",
    baseUrl,
    snippets: [
      openaiJs(baseUrl, model),
      python("openai", "OpenAI", `base_url="${baseUrl}"`, [
        `answer = client.chat.completions.create(model="${model}", messages=${pyMessages})`,
        "print(answer.choices[0].message.content)",
      ]),
    ],
  };
}

function openaiJs(baseUrl: string, model: string): Snippet {
  return javascript("openai", "OpenAI", `new OpenAI({ baseURL: "${baseUrl}", apiKey: ${js} })`, [
    `const answer = await client.chat.completions.create({ model: "${model}", messages: ${messages} });`,
    "console.log(answer.choices[0].message.content);",
  ]);
}

function anthropic(baseUrl: string, model: string): SdkFamily {
  return {
    name: "Anthropic",
    baseUrl,
    snippets: [
      javascript(
        "@anthropic-ai/sdk",
        "Anthropic",
        `new Anthropic({ baseURL: "${baseUrl}", apiKey: ${js} })`,
        [
          `const answer = await client.messages.create({ model: "${model}", max_tokens: 200, messages: ${messages} });`,
          'console.log(answer.content.map((block) => block.text ?? "").join(""));',
        ],
      ),
      python("anthropic", "Anthropic", `base_url="${baseUrl}"`, [
        `answer = client.messages.create(model="${model}", max_tokens=200, messages=${pyMessages})`,
        'print("".join(block.text for block in answer.content if block.type == "text"))',
      ]),
    ],
  };
}

function google(baseUrl: string, model: string): SdkFamily {
  const client = `new GoogleGenAI({ httpOptions: { baseUrl: "${baseUrl}" }, apiKey: ${js} })`;
  return {
    name: "Google Gen AI",
    baseUrl,
    snippets: [
      javascript("@google/genai", "{ GoogleGenAI }", client, [
        `const answer = await client.models.generateContent({ model: "${model}", contents: "${prompt}" });`,
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
          `answer = client.models.generate_content(model="${model}", contents="${prompt}")`,
          "print(answer.text)",
        ),
      },
    ],
  };
}

/** Volcengine has no SDK for JavaScript: its users take OpenAI's. */
function ark(baseUrl: string, model: string): SdkFamily {
  return {
    name: "Volcengine Ark",
    baseUrl,
    snippets: [
      openaiJs(baseUrl, model),
      {
        ...python("volcenginesdkarkruntime", "Ark", `base_url="${baseUrl}"`, [
          `answer = client.chat.completions.create(model="${model}", messages=${pyMessages})`,
          "print(answer.choices[0].message.content)",
        ]),
        package: "volcengine-python-sdk[ark]",
      },
    ],
  };
}

/** Zhipu's provider for Vercel's `ai` is the one for JavaScript. */
function zhipu(baseUrl: string, model: string): SdkFamily {
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
          `const answer = await generateText({ model: client("${model}"), prompt: "${prompt}" });`,
          "console.log(answer.text);",
        ),
      },
      {
        ...python("zai", "ZhipuAiClient", `base_url="${baseUrl}"`, [
          `answer = client.chat.completions.create(model="${model}", messages=${pyMessages})`,
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

/** The page of programs. Its code blocks run as they are, once the variable of the key is set. */
export function snippetPage(families: readonly SdkFamily[], key: string): string {
  const blocks = families.flatMap(({ name, baseUrl, snippets }) => [
    `## ${name}\n\nBase URL: \`${baseUrl}\``,
    ...snippets.map(
      (snippet) =>
        `${snippet.language}, after \`${snippet.language === "Python" ? "pip" : "npm"} install ${snippet.package}\`:\n\n` +
        `\`\`\`${snippet.language === "Python" ? "py" : "js"}\n${snippet.program}\n\`\`\``,
    ),
  ]);
  const intro = `# The gateway from each SDK\n\n\`\`\`sh\nexport ${keyVariable}=${key}\n\`\`\``;
  return `${[intro, ...blocks].join("\n\n")}\n`;
}
