/** Where own models stand: the catalog of a running gateway, or that of a stage. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { catalogText } from "#shared/edges/operator/catalog-text.ts";
import { defaultCatalog, ships } from "../catalog/default-catalog.ts";
import { type FileChange, type OwnCatalog, openOwnCatalog } from "../catalog/own-models.ts";
import { catalogOfStage, stageFile } from "../stage/stage-file.ts";
import type { CommandCall } from "./command.ts";
import { localReadyFile, readyFileOf } from "./connection.ts";

/** The catalog of a place, and what else must be written so that the place reads it. */
export interface ModelPlace extends OwnCatalog {
  besides: FileChange[];
  /** The running gateway that takes the catalog when it changes: the file of what is in force there. */
  inForce: string | undefined;
}

/**
 * The catalog that models are added to: that of `--catalog`, of the running gateway, or of the stage. A stage that has
 * a catalog that ships gets one of its own, which extends it. Throws where there is no such place.
 */
export function modelPlace({ catalogFile, where }: Pick<CommandCall, "catalogFile" | "where">): ModelPlace {
  if (catalogFile !== undefined) {
    if (!existsSync(catalogFile)) throw new Error(`there is no catalog ${catalogFile}`);
    return { ...openOwnCatalog(resolve(catalogFile)), besides: [], inForce: undefined };
  }
  if (where.local) {
    const { catalog, assembly } = readyFileOf(where.readyFile ?? localReadyFile).endpoints;
    if (ships(catalog))
      throw new Error(
        "the running gateway reads a catalog that ships alone: start it without CATALOG, or with one that extends it",
      );
    return { ...openOwnCatalog(catalog), besides: [], inForce: join(assembly, "catalog.json") };
  }
  const file = resolve(stageFile(where.stage));
  if (!existsSync(file))
    throw new Error(
      `the stage ${where.stage} has no file ${stageFile(where.stage)}: give --stage, --catalog, or --local for npm start`,
    );
  const named = catalogOfStage(where.stage) ?? defaultCatalog;
  if (!ships(named)) return { ...openOwnCatalog(named), besides: [], inForce: undefined };
  const path = join(dirname(file), `${where.stage}-catalog`);
  const text = namingCatalog(readFileSync(file, "utf8"), relative(dirname(file), path));
  return { ...openOwnCatalog(path, named), besides: [{ file, text }], inForce: undefined };
}

/** The text of a stage's file with another catalog. Nothing else in it changes, where it is written as usual. */
function namingCatalog(before: string, catalog: string): string {
  const settings = JSON.parse(before) as { catalog?: string };
  const member = (value: string | undefined) => `"catalog": ${JSON.stringify(value)}`;
  const isUsual = settings.catalog !== undefined && before.includes(member(settings.catalog));
  return isUsual
    ? before.replace(member(settings.catalog), () => member(catalog))
    : catalogText({ ...settings, catalog });
}
