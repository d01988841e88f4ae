/**
 * What every vendor of OpenAI's protocols refuses of names, ids and schemas, whatever the model. Sentences in quotation
 * marks are OpenAI's own. They are written from the threads that are named, and from nothing of the product.
 */
import {
  isObject,
  type Json,
  listOf,
  objectsIn,
  type Rule,
  rulesFor,
  textOf,
  type VendorError,
  words,
} from "./rule.ts";

const everyModel = /^/;

/** A function as both protocols have it, with the place of its schema in the request. */
interface Declared {
  name: unknown;
  parameters: unknown;
  strict: unknown;
  path: string;
}

const chatFunctions = (body: Json): Declared[] => [
  ...listOf(body.tools).flatMap((tool, index) =>
    isObject(tool.function)
      ? [{ ...(tool.function as unknown as Declared), path: `tools[${index}].function` }]
      : [],
  ),
  ...listOf(body.functions).map((each, index) => ({
    ...(each as unknown as Declared),
    path: `functions[${index}]`,
  })),
];

const responseFunctions = (body: Json): Declared[] =>
  listOf(body.tools).flatMap((tool, index) =>
    tool.type === "function" ? [{ ...(tool as unknown as Declared), path: `tools[${index}]` }] : [],
  );

function tooLong(param: string, text: unknown, most: number): VendorError | undefined {
  if (typeof text !== "string" || text.length <= most) return undefined;
  return {
    message: `Invalid '${param}': string too long. Expected a string with maximum length ${most}, but got a string with length ${text.length} instead.`,
    param,
    code: "string_above_max_length",
  };
}

const badName = ({ name, path }: Declared): VendorError | undefined =>
  tooLong(`${path}.name`, name, 64) ??
  (/^[a-zA-Z0-9_-]+$/.test(textOf(name))
    ? undefined
    : {
        message: `Invalid '${path}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
        param: `${path}.name`,
        code: "invalid_value",
      });

const invalid = (name: unknown, why: string, param: string): VendorError => ({
  message: `Invalid schema for function '${textOf(name)}': ${why}`,
  param,
  code: "invalid_function_parameters",
});

function badSchema({ name, parameters, path }: Declared): VendorError | undefined {
  if (!isObject(parameters)) return undefined;
  const param = `${path}.parameters`;
  if (parameters.type !== "object") {
    return invalid(
      name,
      `schema must be a JSON Schema of 'type: "object"', got 'type: "${textOf(parameters.type)}"'.`,
      param,
    );
  }
  if (["oneOf", "anyOf", "allOf", "enum", "not"].some((key) => Object.hasOwn(parameters, key))) {
    const why =
      "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.";
    return invalid(name, why, param);
  }
  for (const schema of objectsIn(parameters)) {
    if (schema.type === "object" && !isObject(schema.properties)) {
      return invalid(name, "In context=(), object schema missing properties.", param);
    }
    if ([schema.type].flat().includes("array") && schema.items === undefined) {
      return invalid(name, "In context=(), array schema missing items.", param);
    }
  }
  return undefined;
}

/**
 * Keywords that strict schemas do not have (OpenAI's structured outputs guide, in its words of ai-dynamo/dynamo#15153;
 * `default` of 567-labs/instructor#1074, `propertyNames` of can1357/oh-my-pi#209).
 */
export const strictKeywords = words(
  "allOf not dependentRequired dependentSchemas if then else oneOf default patternProperties",
  "propertyNames unevaluatedProperties minProperties maxProperties unevaluatedItems contains",
  "minContains maxContains uniqueItems",
);

/** Why a strict schema is refused. */
function strictGap(root: unknown): string | undefined {
  if (!isObject(root) || root.type !== "object") return "schema must be a JSON Schema of 'type: \"object\"'.";
  for (const schema of objectsIn(root)) {
    const keyword = strictKeywords.find((key) => Object.hasOwn(schema, key));
    if (keyword) return `In context=(), '${keyword}' is not permitted.`;
    if (![schema.type].flat().includes("object")) continue;
    if (schema.additionalProperties !== false) {
      return "In context=(), 'additionalProperties' is required to be supplied and to be false.";
    }
    const members = Object.keys(isObject(schema.properties) ? schema.properties : {});
    const required = Array.isArray(schema.required) ? schema.required : [];
    const missing = members.find((member) => !required.includes(member));
    if (missing !== undefined) {
      return `In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
    }
  }
  return undefined;
}

interface Format {
  name: unknown;
  schema: unknown;
  strict: unknown;
  param: string;
}

function formRules(
  functions: (body: Json) => Declared[],
  formatOf: (body: Json) => Format | undefined,
): readonly Rule[] {
  return rulesFor(everyModel, {
    "a long user": {
      source: "maximhq/bifrost#1000, looplj/axonhub#1669, ujisati/claude-code-provider-proxy#11",
      refuses: (body) => tooLong("user", body.user, 64),
    },
    "names of functions": {
      source: "netclaw-dev/netclaw#1133 of the same pattern; the API's message",
      refuses: (body) => functions(body).map(badName).find(Boolean),
    },
    "schemas of functions": {
      source: "spring-projects/spring-ai#4776, langchain-ai/langchainjs#9804, nspady/google-calendar-mcp#39",
      refuses: (body) => functions(body).map(badSchema).find(Boolean),
    },
    "strict functions": {
      source: "juspay/neurolink#1691, ai-dynamo/dynamo#15153",
      refuses: (body) => {
        for (const { name, parameters, strict, path } of functions(body)) {
          const gap = strict === true ? strictGap(parameters) : undefined;
          if (gap) return invalid(name, gap, `${path}.parameters`);
        }
        return undefined;
      },
    },
    "schemas of answers": {
      source: "agentscope-ai/agentscope-java#2548, simonw/llm-openai-plugin#3",
      refuses: (body) => {
        const format = formatOf(body);
        if (!format) return undefined;
        const { name, schema, strict, param } = format;
        const gap =
          strict === true
            ? strictGap(schema)
            : isObject(schema) && schema.type === "object"
              ? undefined
              : "schema must be a JSON Schema of 'type: \"object\"'.";
        if (!/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(name)))
          return { message: `Invalid '${param}.name'.`, param };
        return gap
          ? { message: `Invalid schema for response_format '${textOf(name)}': ${gap}`, param }
          : undefined;
      },
    },
  });
}

export const chatFormRules: readonly Rule[] = [
  ...rulesFor(everyModel, {
    "no messages": {
      source: "the API's message",
      refuses: (body) =>
        Array.isArray(body.messages) &&
        body.messages.length === 0 &&
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    },
    "a choice without functions": {
      source: "Azure-Samples/azure-search-openai-demo#1175",
      refuses: ({ functions, function_call }) =>
        (functions ?? undefined) === undefined &&
        (function_call ?? undefined) !== undefined && {
          message:
            "Invalid value for 'function_call': 'function_call' is only allowed when 'functions' are specified.",
          param: "function_call",
        },
    },
    "results of functions without a name": {
      source: "langchain-ai/langchainjs#6570, open-compass/T-Eval#66",
      refuses: (body) => {
        const at = listOf(body.messages).findIndex(({ role, name }) => role === "function" && !textOf(name));
        return (
          at >= 0 && {
            message: "Missing parameter 'name': messages with role 'function' must have a 'name'.",
            param: `messages.[${at}].name`,
          }
        );
      },
    },
    "a file that is no PDF": {
      source: "trpc-group/trpc-agent-go#1816, openai/openai-dotnet#613, pydantic/pydantic-ai#4445",
      refuses: (body) => {
        const files = listOf(body.messages).flatMap(({ content }) =>
          listOf(content).map((part) => part.file),
        );
        const data = files.map((file) => (isObject(file) ? String(file.file_data ?? "") : ""));
        const odd = data.find((each) => each.startsWith("data:") && !each.startsWith("data:application/pdf"));
        return (
          odd !== undefined &&
          `Invalid file data. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,SGVsbG8sIFdvcmxkIQ=='), but got unsupported MIME type '${odd.slice(5).split(";")[0]}'.`
        );
      },
    },
  }),
  ...formRules(chatFunctions, (body) => {
    const format = isObject(body.response_format) ? body.response_format : {};
    const described =
      format.type === "json_schema" && isObject(format.json_schema) ? format.json_schema : undefined;
    return described && ({ ...described, param: "response_format" } as unknown as Format);
  }),
  ...rulesFor(everyModel, {
    "long ids of calls": {
      source:
        "langmanus/langmanus#119, microsoft/autogen#6377, Portkey-AI/gateway#1062, openclaw/openclaw#875",
      refuses: (body) => {
        for (const [index, message] of listOf(body.messages).entries()) {
          for (const [at, call] of listOf(message.tool_calls).entries()) {
            const told = tooLong(`messages[${index}].tool_calls[${at}].id`, call.id, 40);
            if (told) return told;
          }
        }
        return undefined;
      },
    },
  }),
];

export const responsesFormRules: readonly Rule[] = [
  ...formRules(responseFunctions, (body) => {
    const format = isObject(body.text) && isObject(body.text.format) ? body.text.format : {};
    return format.type === "json_schema"
      ? ({ ...format, param: "text.format" } as unknown as Format)
      : undefined;
  }),
  ...rulesFor(everyModel, {
    "long ids of calls": {
      source: "openclaw/openclaw#875, orchidfiles/ungate#26",
      refuses: (body) => {
        for (const [index, item] of listOf(body.input).entries()) {
          const told = tooLong(`input[${index}].call_id`, item.call_id, 64);
          if (told) return told;
        }
        return undefined;
      },
    },
  }),
];
