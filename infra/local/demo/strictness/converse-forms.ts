/** What Bedrock's Converse refuses of tools, media and settings, whatever the model; sources as in `converse-turns.ts`. */
import { blocksOf, constraint, mediaOf, specsOf, toolsOf, turnsOf } from "./converse-parts.ts";
import { at, isObject, listOf, objectsIn, rulesFor, textOf, unknownKey, words } from "./rule.ts";

const known = {
  body: words(
    "messages system inferenceConfig toolConfig guardrailConfig additionalModelRequestFields promptVariables",
    "additionalModelResponseFieldPaths requestMetadata performanceConfig serviceTier outputConfig",
  ),
  inference: words("maxTokens temperature topP stopSequences"),
};

const formats: Readonly<Record<string, readonly string[]>> = {
  image: words("png jpeg gif webp"),
  document: words("pdf csv doc docx xls xlsx html txt md"),
  video: words("mkv mov mp4 webm flv mpeg mpg wmv three_gp"),
  audio: words("mp3 opus wav aac flac mp4 ogg mkv mka x-aac m4a mpeg mpga pcm webm"),
};

/** Tools, and the choice among them. */
export const converseToolRules = rulesFor(/^/, {
  "an empty list of tools": {
    source: "the service model: at least one tool",
    refuses: (body) =>
      isObject(body.toolConfig) &&
      toolsOf(body).length === 0 &&
      constraint("toolConfig.tools", "Member must have length greater than or equal to 1"),
  },
  "names of tools": {
    source: "caipe-io/ai-platform-engineering#2204",
    refuses: (body) => {
      const at = specsOf(body).findIndex(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(name)));
      return (
        at >= 0 &&
        constraint(
          `toolConfig.tools.${at + 1}.member.toolSpec.name`,
          "Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
        )
      );
    },
  },
  "a tool twice": {
    source: "Anthropic's message, which Bedrock passes on for Claude",
    refuses: (body) => {
      const names = specsOf(body).map(({ name }) => name);
      return (
        new Set(names).size < names.length &&
        "The model returned the following errors: tools: Tool names must be unique."
      );
    },
  },
  "an empty description": {
    source: "the service model: NonEmptyString",
    refuses: (body) =>
      specsOf(body).some(({ description }) => description === "") &&
      constraint(
        "toolConfig.tools.1.member.toolSpec.description",
        "Member must have length greater than or equal to 1",
      ),
  },
  "schemas of tools": {
    source: "cognitect-labs/aws-api#272; combinations at the root: anthropics/claude-code#40075",
    refuses: (body) => {
      const at = specsOf(body).findIndex(({ inputSchema }) => {
        const json = isObject(inputSchema) ? inputSchema.json : undefined;
        return (
          !isObject(json) ||
          json.type !== "object" ||
          ["oneOf", "allOf", "anyOf"].some((key) => Object.hasOwn(json, key))
        );
      });
      return (
        at >= 0 &&
        `The value at toolConfig.tools.${at}.toolSpec.inputSchema.json.type must be one of the following: object.`
      );
    },
  },
  "open objects of strict tools": {
    source: "future-agi/future-agi#412; langchain-ai/langchain-aws#884",
    refuses: (body) => {
      const strict = specsOf(body).filter(({ strict }) => strict === true);
      const open = strict.some(({ inputSchema }) =>
        isOpen(isObject(inputSchema) ? inputSchema.json : undefined),
      );
      return open && "tools.0: For 'object' type, 'additionalProperties' must be explicitly set to false";
    },
  },
  "an unknown choice": {
    source: "boto/boto3#4687",
    refuses: ({ toolConfig }) => {
      const choice = isObject(toolConfig) ? toolConfig.toolChoice : undefined;
      const name = unknownKey(choice, ["auto", "any", "tool"]);
      return name && `Unknown parameter in toolConfig.toolChoice: "${name}", must be one of: auto, any, tool`;
    },
  },
});

/** Whether any object in a schema lets other members in. */
function isOpen(schema: unknown): boolean {
  return objectsIn(schema).some((each) => each.type === "object" && each.additionalProperties !== false);
}

function schemaIn(outputConfig: unknown): unknown {
  return at(outputConfig, "textFormat.structure.jsonSchema.schema");
}

/** Media, settings and cache points. */
export const converseFormRules = rulesFor(/^/, {
  "unknown members": {
    source: "the service model",
    refuses: (body) => {
      const name = unknownKey(body, known.body) ?? unknownKey(body.inferenceConfig, known.inference);
      return (
        name &&
        `Malformed input request: #: extraneous key [${name}] is not permitted, please reformat your input and try again.`
      );
    },
  },
  "temperature above 1": {
    source: "stdapi-ai/stdapi.ai#224, mnfst/modelparams.dev#305",
    refuses: ({ inferenceConfig: config }) =>
      isObject(config) &&
      Number(config.temperature ?? 0) > 1 &&
      constraint("inferenceConfig.temperature", "Member must have value less than or equal to 1"),
  },
  "names of documents": {
    source: "simonw/llm-bedrock#8, aws-samples/generative-ai-use-cases#1671",
    refuses: (body) =>
      mediaOf(body, "document").some(
        ({ name }) => !/^(?!.* {2})[a-zA-Z0-9 \-()[\]]{1,200}$/.test(textOf(name)),
      ) &&
      "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character. Check that the file name conforms to these restrictions and retry your request.",
  },
  "one name of two documents": {
    source: "maximhq/bifrost#7003, ag-ui-protocol/ag-ui#2425",
    refuses: (body) => {
      const names = mediaOf(body, "document").map(({ name }) => textOf(name).toLowerCase());
      return (
        new Set(names).size < names.length &&
        "Messages can't contain duplicate document names. Rename the document and retry your request."
      );
    },
  },
  "a document without a text": {
    source: "the service model's notes on Message",
    refuses: (body) =>
      turnsOf(body).some((turn) => {
        const kinds = blocksOf(turn).flatMap(Object.keys);
        return kinds.includes("document") && !kinds.includes("text");
      }) && "A message with a document block must have a text block. Add a text block and try again.",
  },
  "formats of media": {
    source: "the enumerations of the service model",
    refuses: (body) => {
      const odd = Object.entries(formats).find(([kind, list]) =>
        mediaOf(body, kind).some(({ format }) => !list.includes(textOf(format))),
      );
      return (
        odd && constraint(`${odd[0]}.format`, `Member must satisfy enum value set: [${odd[1].join(", ")}]`)
      );
    },
  },
  "media without bytes": {
    source: "the unions of sources in the service model, which have no address but S3's",
    refuses: (body) =>
      Object.keys(formats).some((kind) =>
        mediaOf(body, kind).some(
          ({ source }) => !isObject(source) || unknownKey(source, ["bytes", "s3Location"]),
        ),
      ) && constraint("source", "Member must be one of bytes, s3Location"),
  },
  "empty stop sequences": {
    source: "the service model: NonEmptyString",
    refuses: ({ inferenceConfig: config }) =>
      isObject(config) &&
      Array.isArray(config.stopSequences) &&
      config.stopSequences.some((stop) => textOf(stop).trim() === "") &&
      constraint("inferenceConfig.stopSequences", "Member must have length greater than or equal to 1"),
  },
  "a schema that is no text": {
    source: "the service model: JsonSchemaDefinition",
    refuses: ({ outputConfig }) => {
      if (outputConfig === undefined) return undefined;
      const schema = schemaIn(outputConfig);
      return (
        typeof schema !== "string" &&
        constraint("outputConfig.textFormat.structure.jsonSchema.schema", "Member must be a string")
      );
    },
  },
  "open objects of answers": {
    source: "future-agi/future-agi#411",
    refuses: ({ outputConfig }) => {
      const schema = schemaIn(outputConfig);
      return (
        typeof schema === "string" &&
        isOpen(JSON.parse(schema)) &&
        "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false"
      );
    },
  },
  "more than four cache points": {
    source: "Anthropic's guide to prompt caching; can1357/oh-my-pi#6409",
    refuses: (body) => {
      const blocks = [...toolsOf(body), ...listOf(body.system), ...turnsOf(body).flatMap(blocksOf)];
      return (
        blocks.filter(({ cachePoint }) => cachePoint !== undefined).length > 4 &&
        "A maximum of 4 blocks with cache_control may be provided."
      );
    },
  },
});
