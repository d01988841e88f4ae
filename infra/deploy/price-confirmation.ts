/**
 * `npm run deploy` shows what changes for customers, and goes on once somebody has confirmed it. The prices in force
 * stand in the metadata of the deployed template, which CloudFormation takes back when a deployment fails.
 */

import { styleText } from "node:util";
import { dayOf } from "#shared/books/billing/period.ts";
import { digestOf, type Offer, offerChanges, offerOf, offerOn } from "#shared/books/prices/offer.ts";
import { readCatalog } from "../catalog/catalog-files.ts";
import { canAsk, confirm, type Terminal } from "../operator/confirm.ts";
import { render } from "../operator/output.ts";

/** Where the metadata of a template has what is offered. */
export const offerName = "Offer";

/** The offer of the catalog at a path. Throws `Error`, with the path, when it cannot be read or is not valid. */
export function offerInFile(file: string): Offer {
  try {
    return offerOf(readCatalog(file));
  } catch (error) {
    throw new Error(`catalog ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** The offer in a deployed template; undefined if a release before 2026-11-23 was deployed, which did not note it. */
export function offerInTemplate(template: string): Offer | undefined {
  const { Metadata = {} } = JSON.parse(template) as { Metadata?: Record<string, Offer> };
  return Metadata[offerName];
}

/** A deployed template as if it offered this, so that a comparison of templates does not tell of prices once more. */
export function templateOffering(template: string, offer: Offer): string {
  const deployed = JSON.parse(template) as { Metadata?: object };
  return JSON.stringify({ ...deployed, Metadata: { ...deployed.Metadata, [offerName]: offer } });
}

interface PriceQuestion {
  stack: string;
  /** What is offered now; undefined if the stack does not say. */
  before: Offer | undefined;
  after: Offer;
  /** The hash that `--confirm-prices` gave. */
  confirmed: string | undefined;
  /** Whether the changes are only shown, because the stage has no customers. */
  isTrial: boolean;
}

/** Shows what changes for customers. Gives the hash that stands for exactly that; undefined if nothing changes. */
export function showPrices(
  { stack, before, after }: Pick<PriceQuestion, "stack" | "before" | "after">,
  output: Terminal["output"],
): string | undefined {
  const say = (line: string) => output.write(`${line}\n`);
  const today = dayOf(Date.now());
  const changes = before && offerChanges(offerOn(before, today), offerOn(after, today));
  if (changes?.length === 0) {
    say(`${stack} keeps its prices and plans.`);
    return undefined;
  }
  if (changes) {
    const isColored = output.isTTY === true;
    const table = render(changes, (style, text) => (isColored ? styleText(style, text) : text));
    say(`These prices and terms of ${stack} change for customers, in points:\n\n${table}\n`);
  } else {
    say(
      `What ${stack} charges now cannot be compared: a release before 2026-11-23 was deployed, which did not note it.`,
    );
  }
  return digestOf(changes ?? after);
}

/**
 * Shows what changes for customers, and gives whether to deploy. It asks a person, unless `confirmed` is the hash of
 * exactly what it shows. Where nobody can be asked the answer is no, with what to do.
 */
export async function confirmPrices(question: PriceQuestion, terminal: Terminal): Promise<boolean> {
  const { confirmed, isTrial } = question;
  const say = (line: string) => terminal.output.write(`${line}\n`);
  const hash = showPrices(question, terminal.output);
  if (hash === undefined || isTrial) return true;
  if (confirmed === hash) {
    say(`The change is confirmed by --confirm-prices ${hash}.`);
    return true;
  }
  if (confirmed !== undefined) {
    say(
      `Nothing was deployed: --confirm-prices ${confirmed} is not the hash of this change, which is ${hash}.`,
    );
    return false;
  }
  if (canAsk(terminal, { yes: false, json: false })) {
    return await confirm(
      `From this deployment on, new calls are charged by the new catalog. The hash of the change is ${hash}.`,
      terminal,
    );
  }
  say(`Nothing was deployed, because nobody can be asked here. To confirm: --confirm-prices ${hash}`);
  return false;
}
