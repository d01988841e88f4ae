/** Reads a stage's file, the only place of its settings: every deployment has all of them, and none can be forgotten. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Ajv, type ErrorObject } from "ajv";
import { nearest } from "#shared/base/platform/nearest.ts";
import { SettingError } from "./setting-error.ts";
import type { StageSettings } from "./stage.ts";

/** The folder of the files, unless `-c stages=FOLDER` names another. */
const stagesFolder = join(import.meta.dirname, "../stages");

const schemaName = "schema.json";
const schema = JSON.parse(readFileSync(join(stagesFolder, schemaName), "utf8")) as {
  properties: Record<string, { description: string; properties?: object }>;
};
const check = new Ajv({ allErrors: true, verbose: true, unicodeRegExp: true }).compile<StageSettings>(schema);

/** The names of all settings that a file may have. */
export const settingNames = Object.keys(schema.properties).filter((name) => name !== "$schema");

/** What is enough for a file. */
const example = `{
  "$schema": "./${schemaName}",
  "catalog": "../../shared/books/catalog/default"
}`;

/**
 * The settings in a stage's file, with the absolute path of its catalog. Throws `SettingError` for no file, no JSON, or
 * what the schema refuses: with the file, every such member, and what is expected.
 */
export function readStageFile(stage: string, folder = stagesFolder): StageSettings {
  const file = resolve(folder, `${stage}.json`);
  if (!existsSync(file)) throw new SettingError(missing(stage, file));
  const name = stageFile(stage, folder);
  const settings = parse(readFileSync(file, "utf8"), name);
  if (!check(settings))
    throw new SettingError((check.errors ?? []).map((each) => `${name}: ${say(each)}`).join("\n"));
  const { catalog } = settings;
  return catalog === undefined ? settings : { ...settings, catalog: resolve(dirname(file), catalog) };
}

/** The catalog that the file of a stage names; undefined if it names none, or if this folder has no such file. */
export function catalogOfStage(stage: string): string | undefined {
  return existsSync(join(stagesFolder, `${stage}.json`)) ? readStageFile(stage).catalog : undefined;
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SettingError(`${name} is no JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** That a stage has no file, and how to make one. */
function missing(stage: string, file: string): string {
  const folder = dirname(file);
  const known = (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith(".json") && name !== schemaName)
    .map((name) => name.slice(0, -".json".length));
  const [near] = nearest(stage, known);
  const meant = near === undefined ? "" : ` Did you mean -c stage=${near}?`;
  return [
    `The stage "${stage}" has no settings, because there is no file ${stageFile(stage, folder)}.${meant}`,
    `For a new stage make the file. This is enough:\n\n${example}\n`,
    `Stages with a file: ${known.join(", ") || "none"}. What a file may say: infra/README.md.`,
  ].join("\n");
}

/** One fault of a file in a sentence or two: the member, its value, and what is expected. Nothing for a repetition. */
function say({ keyword, instancePath, params, data, message, propertyName }: ErrorObject): string[] {
  const path = instancePath.slice(1).replaceAll("/", ".");
  const [top = ""] = path.split(".");
  const description = schema.properties[top]?.description;
  const expected = description === undefined ? "" : ` Expected: ${description}`;
  // The fault of a member's name comes as that of a text, and once more as that of its object.
  if (propertyName !== undefined) return [];
  switch (keyword) {
    case "additionalProperties":
      return [unknown(path === "" ? "" : `${path}.`, String(params.additionalProperty))];
    case "required":
      return [`${path || "the file"} has no "${params.missingProperty}".${expected}`];
    case "anyOf":
      // Its parts are told.
      return [];
    case "not":
      return [`${path} has members that exclude each other.${expected}`];
    case "propertyNames":
      return [
        `${path} has the name ${JSON.stringify(params.propertyName)}, which is not allowed.${expected}`,
      ];
    case "enum": {
      const allowed = (params.allowedValues as unknown[]).map((each) => JSON.stringify(each));
      return [`${path} is ${JSON.stringify(data)}, and must be one of ${allowed.join(", ")}.${expected}`];
    }
    default:
      return [`${path || "the file"} is ${JSON.stringify(data)}, and ${message}.${expected}`];
  }
}

function unknown(parent: string, name: string): string {
  const members = schema.properties[parent.slice(0, -1)]?.properties;
  const names = members ? Object.keys(members).map((each) => parent + each) : settingNames;
  const [near] = nearest(parent + name, names);
  const meant = near === undefined ? "" : ` Did you mean "${near}"?`;
  return `there is no setting "${parent}${name}".${meant} Settings are ${names.join(", ")}.`;
}

/** The path of a stage's file, as somebody in the working folder would write it. */
export function stageFile(stage: string, folder = stagesFolder): string {
  return shortPath(resolve(folder, `${stage}.json`));
}

/** An absolute path, as somebody in the working folder would write it. */
export function shortPath(file: string): string {
  const short = relative(process.cwd(), file);
  return short.startsWith("..") ? file : short;
}
