/**
 * How each vendor's SDK calls a gateway: what makes its client, and the lines that ask for something and print it. A
 * program chats, or asks for what else a model makes.
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

/** The protocols of the models that the families' programs name. */
export type SdkProtocol = "openai" | "anthropic" | "gemini" | "ark" | "zhipu";

/** The name of the variable that the clients read their key from. */
export const keyVariable = "GATEWAY_KEY";

/** What a program asks for: the capability of the model that it calls. A model with several of them chats. */
export const programKinds = ["chat", "embeddings", "multimodal_embeddings", "images", "video"] as const;
export type ProgramKind = (typeof programKinds)[number];

const js = `process.env.${keyVariable}`;
const py = `os.environ["${keyVariable}"]`;

/** What a program calls. It spells the model and the prompt as strings of JSON, which both languages read. */
interface Sample {
  baseUrl: string;
  model: string;
  prompt: string;
  kind: ProgramKind;
}

/** The lines that ask for something and print it, by what is asked for. An SDK without a line has no program for it. */
type Lines = Partial<Record<ProgramKind, string[]>>;

const messages = ({ prompt }: Sample) => `[{ role: "user", content: ${prompt} }]`;
const pyMessages = ({ prompt }: Sample) => `[{"role": "user", "content": ${prompt}}]`;

/** The families: what each is called, what it speaks and where, and its snippets. */
export const families: [name: string, SdkProtocol, path: string, (asked: Sample) => Snippet[]][] = [
  ["OpenAI", "openai", "/v1", openai],
  ["Anthropic", "anthropic", "", anthropic],
  ["Google Gen AI", "gemini", "", google],
  ["Volcengine Ark", "ark", "/api/v3", ark],
  ["Zhipu", "zhipu", "/api/paas/v4", zhipu],
  ["AWS", "anthropic", "", aws],
];

function openai(asked: Sample): Snippet[] {
  return [...openaiJs(asked), ...python("openai", "OpenAI", asked, likeOpenai(asked))];
}

function openaiJs(asked: Sample): Snippet[] {
  const { baseUrl, model, prompt } = asked;
  const client = `new OpenAI({ baseURL: "${baseUrl}", apiKey: ${js} })`;
  return javascript("openai", "OpenAI", client, asked, {
    chat: [
      `const answer = await client.chat.completions.create({ model: ${model}, messages: ${messages(asked)} });`,
      "console.log(answer.choices[0].message.content);",
    ],
    embeddings: [
      `const answer = await client.embeddings.create({ model: ${model}, input: ${prompt} });`,
      "console.log(answer.data[0].embedding);",
    ],
    images: [
      `const answer = await client.images.generate({ model: ${model}, prompt: ${prompt} });`,
      "console.log(answer.data[0].url ?? answer.data[0].b64_json);",
    ],
  });
}

const printVector = "print(answer.data[0].embedding)";

/** What the SDKs for Python say that are made like OpenAI's. */
function likeOpenai(asked: Sample) {
  const { model, prompt } = asked;
  return {
    chat: [
      `answer = client.chat.completions.create(model=${model}, messages=${pyMessages(asked)})`,
      "print(answer.choices[0].message.content)",
    ],
    embeddings: [`answer = client.embeddings.create(model=${model}, input=${prompt})`, printVector],
    images: [
      `answer = client.images.generate(model=${model}, prompt=${prompt})`,
      "print(answer.data[0].url or answer.data[0].b64_json)",
    ],
  };
}

function anthropic(asked: Sample): Snippet[] {
  const { baseUrl, model } = asked;
  const client = `new Anthropic({ baseURL: "${baseUrl}", apiKey: ${js} })`;
  return [
    ...javascript("@anthropic-ai/sdk", "Anthropic", client, asked, {
      chat: [
        `const answer = await client.messages.create({ model: ${model}, max_tokens: 200, messages: ${messages(asked)} });`,
        'console.log(answer.content.map((block) => block.text ?? "").join(""));',
      ],
    }),
    ...python("anthropic", "Anthropic", asked, {
      chat: [
        `answer = client.messages.create(model=${model}, max_tokens=200, messages=${pyMessages(asked)})`,
        'print("".join(block.text for block in answer.content if block.type == "text"))',
      ],
    }),
  ];
}

function google(asked: Sample): Snippet[] {
  const { baseUrl, model, prompt } = asked;
  const client = `new GoogleGenAI({ httpOptions: { baseUrl: "${baseUrl}" }, apiKey: ${js} })`;
  const pyClient = `genai.Client(http_options={"base_url": "${baseUrl}"}, api_key=${py})`;
  return [
    ...javascript("@google/genai", "{ GoogleGenAI }", client, asked, {
      chat: [
        `const answer = await client.models.generateContent({ model: ${model}, contents: ${prompt} });`,
        "console.log(answer.text);",
      ],
      embeddings: [
        `const answer = await client.models.embedContent({ model: ${model}, contents: ${prompt} });`,
        "console.log(answer.embeddings[0].values);",
      ],
    }),
    ...snippetOf({ language: "Python", package: "google-genai", client: pyClient }, asked, {
      before: ["import os", "from google import genai", `client = ${pyClient}`],
      chat: [
        `answer = client.models.generate_content(model=${model}, contents=${prompt})`,
        "print(answer.text)",
      ],
      embeddings: [
        `answer = client.models.embed_content(model=${model}, contents=${prompt})`,
        "print(answer.embeddings[0].values)",
      ],
    }),
  ];
}

/** Volcengine has no SDK for JavaScript: its users take OpenAI's. */
function ark(asked: Sample): Snippet[] {
  const { model, prompt } = asked;
  const text = `[{"type": "text", "text": ${prompt}}]`;
  const own = python("volcenginesdkarkruntime", "Ark", asked, {
    ...likeOpenai(asked),
    embeddings: [`answer = client.embeddings.create(model=${model}, input=[${prompt}])`, printVector],
    multimodal_embeddings: [
      `answer = client.multimodal_embeddings.create(model=${model}, input=${text})`,
      "print(answer.data.embedding)",
    ],
    video: [
      "tasks = client.content_generation.tasks",
      `task = tasks.create(model=${model}, content=${text})`,
      "print(tasks.get(task_id=task.id).status)",
    ],
  });
  return [...openaiJs(asked), ...packed(own, "volcengine-python-sdk[ark]")];
}

/** Zhipu's provider for Vercel's `ai` is the one for JavaScript. */
function zhipu(asked: Sample): Snippet[] {
  const { baseUrl, model, prompt } = asked;
  const client = `createZhipu({ baseURL: "${baseUrl}", apiKey: ${js} })`;
  const { chat, embeddings } = likeOpenai(asked);
  return [
    ...snippetOf({ language: "JavaScript", package: "ai zhipu-ai-provider", client }, asked, {
      before: [
        'import { generateText } from "ai";',
        'import { createZhipu } from "zhipu-ai-provider";',
        `const client = ${client};`,
      ],
      chat: [
        `const answer = await generateText({ model: client(${model}), prompt: ${prompt} });`,
        "console.log(answer.text);",
      ],
    }),
    ...packed(python("zai", "ZhipuAiClient", asked, { chat, embeddings }), "zai-sdk"),
  ];
}

/** The SDKs for Amazon Bedrock chat with any model (shared/calls/protocols/bedrock-clients.md "Settings"). */
function aws(asked: Sample): Snippet[] {
  const { baseUrl, model, prompt } = asked;
  const client = `new BedrockRuntimeClient({
  endpoint: "${baseUrl}",
  region: "us-east-1",
  token: { token: ${js} },
  authSchemePreference: ["httpBearerAuth"],
  requestHandler: new NodeHttpHandler(),
})`;
  const pyClient = `boto3.client("bedrock-runtime", "us-east-1", endpoint_url="${baseUrl}", config=unsigned)`;
  const packages = "@aws-sdk/client-bedrock-runtime @smithy/node-http-handler";
  return [
    ...snippetOf({ language: "JavaScript", package: packages, client }, asked, {
      before: [
        'import { BedrockRuntimeClient, ConverseCommand } from "@aws-sdk/client-bedrock-runtime";',
        'import { NodeHttpHandler } from "@smithy/node-http-handler";',
        `const client = ${client};`,
      ],
      chat: [
        `const messages = [{ role: "user", content: [{ text: ${prompt} }] }];`,
        `const answer = await client.send(new ConverseCommand({ modelId: ${model}, messages }));`,
        'console.log(answer.output.message.content.map((block) => block.text ?? "").join(""));',
      ],
    }),
    ...snippetOf({ language: "Python", package: "boto3", client: pyClient }, asked, {
      before: [
        "import os",
        "import boto3",
        "from botocore import UNSIGNED",
        "from botocore.config import Config",
        `key = ${py}`,
        "unsigned = Config(signature_version=UNSIGNED)",
        `client = ${pyClient}`,
        "def with_key(request, **_):",
        '    request.headers["Authorization"] = f"Bearer {key}"',
        'client.meta.events.register("before-send.bedrock-runtime", with_key)',
      ],
      chat: [
        `messages = [{"role": "user", "content": [{"text": ${prompt}}]}]`,
        `answer = client.converse(modelId=${model}, messages=messages)`,
        'print("".join(block.get("text", "") for block in answer["output"]["message"]["content"]))',
      ],
    }),
  ];
}

/** Snippets whose package has another name than the module that they import. */
function packed(snippets: Snippet[], name: string): Snippet[] {
  return snippets.map((snippet) => ({ ...snippet, package: name }));
}

function javascript(from: string, imported: string, client: string, asked: Sample, lines: Lines): Snippet[] {
  const before = [`import ${imported} from "${from}";`, `const client = ${client};`];
  return snippetOf({ language: "JavaScript", package: from, client }, asked, { before, ...lines });
}

function python(module: string, imported: string, asked: Sample, lines: Lines): Snippet[] {
  const client = `${imported}(base_url="${asked.baseUrl}", api_key=${py})`;
  const before = ["import os", `from ${module} import ${imported}`, `client = ${client}`];
  return snippetOf({ language: "Python", package: module, client }, asked, { before, ...lines });
}

/** The snippet, or none where the SDK has no lines for what is asked. `before`: what makes the client. */
function snippetOf(
  snippet: Omit<Snippet, "program">,
  { kind }: Sample,
  { before, ...lines }: Lines & { before: string[] },
): Snippet[] {
  const then = lines[kind];
  return then ? [{ ...snippet, program: [...before, ...then].join("\n") }] : [];
}
