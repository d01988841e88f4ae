/** What Gemini refuses of names, schemas and media, whatever the model. */
import { isObject, type Json, listOf, objectsIn, type Rule, rulesFor, textOf } from "./rule.ts";

const everyModel = /^/;

const declared = (body: Json) => listOf(body.tools).flatMap((tool) => listOf(tool.functionDeclarations));
const partsOf = (body: Json) => listOf(body.contents).flatMap(({ parts }) => listOf(parts));

export const geminiFormRules = rulesFor(everyModel, {
  "names of functions": {
    source: "google-gemini/gemini-cli#2966, kaitranntt/ccs#25, maximhq/bifrost#1979",
    refuses: (body) => {
      const at = declared(body).findIndex(
        ({ name }) => !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(textOf(name)),
      );
      return (
        at >= 0 &&
        `* GenerateContentRequest.tools[0].function_declarations[${at}].name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.`
      );
    },
  },
  "a function twice": {
    source: "the API's message",
    refuses: (body) => {
      const names = declared(body).map(({ name }) => name);
      const twice = names.find((name, at) => names.indexOf(name) < at);
      return twice !== undefined && `Duplicate function declaration found: ${textOf(twice)}`;
    },
  },
  "schemas of functions": {
    source: "NousResearch/hermes-agent#98928, su-kaka/gcli2api#374",
    refuses: (body) => {
      for (const { parametersJsonSchema: schema } of declared(body)) {
        if (!isObject(schema)) continue;
        if (schema.type !== "object") return "parameters schema should be of type OBJECT.";
        const beside = objectsIn(schema).some(
          (each) =>
            typeof each.$ref === "string" &&
            Object.keys(each).some((key) => !["$ref", "description", "default", "$defs"].includes(key)),
        );
        if (beside) return "A schema with a ref may have no other field than description and default.";
      }
      return undefined;
    },
  },
  "types of pictures": {
    source: "Google's guide to images",
    refuses: (body) => {
      const inner = (part: Json): Json[] => {
        const result = isObject(part.functionResponse) ? part.functionResponse : {};
        return [part, ...listOf(result.parts)];
      };
      const odd = partsOf(body)
        .flatMap(inner)
        .map(({ inlineData }) => (isObject(inlineData) ? textOf(inlineData.mimeType) : ""))
        .find((type) => type === "image/jpg");
      return odd !== undefined && `Unable to process input image: unsupported MIME type ${odd}`;
    },
  },
});

/** Models that take no media inside of a function's response. */
export const resultMediaRule: Rule = {
  name: "media in a result",
  source: "google-gemini/gemini-cli#19436, maximhq/bifrost#4202",
  models: /^gemini-[12]\b/,
  refuses: (body) =>
    partsOf(body).some(
      ({ functionResponse }) => isObject(functionResponse) && listOf(functionResponse.parts).length > 0,
    ) && "Unable to submit request because `function_response.parts` is not supported for this model.",
};
