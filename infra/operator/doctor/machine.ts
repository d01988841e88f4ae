/** What of this machine decides whether commands work: its tools, its clock, and as whom it calls AWS. */
import type { Ask } from "../account/actions.ts";
import { operatorBounds } from "../bounds.ts";
import { type Check, type CheckFinding, fail, ok, unknown, warn } from "./check.ts";

/** The versions of what runs here, and those that this repository asks for. */
export interface Tools {
  node: string;
  cdk: { installed: string | undefined; asked: string };
}

export function toolsCheck({ node, cdk }: Tools): Check {
  return {
    name: "tools",
    run() {
      const seen = `node ${node}, cdk ${cdk.installed ?? "is not installed"}`;
      if (Number(node.split(".")[0]) < operatorBounds.nodeMajorMin) {
        return fail(seen, `use Node ${operatorBounds.nodeMajorMin}: run commands with npm, which brings it`);
      }
      return cdk.installed === cdk.asked
        ? ok(seen)
        : warn(`${seen}, and this repository deploys with ${cdk.asked}`, "run npm ci");
    },
  };
}

/** The time of an answer of AWS by its `Date` header, and when it came here; both in Unix milliseconds. */
export interface DatedAnswer {
  said: number;
  at: number;
}

/** AWS refuses signatures whose time is five minutes off. */
const skewMsMax = 300_000;
const skewMsOdd = 30_000;

/** Compares this machine's clock with AWS's. `dated` waits for the first answer of AWS, of whatever status. */
export function clockCheck(dated: Promise<DatedAnswer | undefined>): Check {
  return {
    name: "clock",
    async run() {
      const answer = await dated;
      if (!answer)
        return unknown("AWS did not answer, so no clock could be compared", "see the check identity");
      // The header has whole seconds.
      const off = Math.abs(answer.at - answer.said) < 1500 ? 0 : answer.at - answer.said;
      const seconds = Math.round(Math.abs(off) / 1000);
      const seen =
        off === 0
          ? "this machine and AWS agree"
          : `this machine is ${seconds} s ${off > 0 ? "ahead of" : "behind"} AWS`;
      if (Math.abs(off) > skewMsMax)
        return fail(seen, "set the clock: AWS refuses signatures that are 5 minutes off");
      return Math.abs(off) > skewMsOdd ? warn(seen, "set the clock before it is 5 minutes off") : ok(seen);
    },
  };
}

export function identityCheck(ask: Ask, region: string): Check {
  return {
    name: "identity",
    async run(): Promise<CheckFinding> {
      const { Arn, Account } = await ask("sts:GetCallerIdentity", {});
      return ok(`${Arn} in account ${Account}, region ${region}`);
    },
  };
}
