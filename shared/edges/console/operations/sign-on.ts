/** Signing in by an organization's own provider, as the console's routes show it (people/sign-on/README.md). */
import type { AnswersTo } from "../../openapi/route-types.ts";
import type { signOnRoutes } from "../routes/sign-on.ts";
import type { SignOnDeps } from "./sign-on-deps.ts";

/** The operations of `edges/console/routes/sign-on.ts`. Each group is loaded with the first request for it. */
export function signOnAnswers(deps: SignOnDeps): AnswersTo<typeof signOnRoutes> {
  const entering = () => import("./sign-on-entering.ts");
  const settings = () => import("./sign-on-settings.ts");
  const domains = () => import("./sign-on-domains.ts");
  const provisioning = () => import("./provisioning.ts");
  return {
    begin_sign_on: async (call) => await (await entering()).beginSignOn(call, deps),
    begin_link: async (call) => await (await entering()).beginLink(call, deps),
    finish_sign_on: async (call) => await (await entering()).finishSignOn(call, deps),
    show_sign_on: async (call) => await (await settings()).showSignOn(call, deps),
    change_sign_on: async (call) => await (await settings()).changeSignOn(call, deps),
    remove_sign_on: async (call) => await (await settings()).removeSignOn(call, deps),
    claim_domain: async (call) => await (await domains()).claimDomain(call, deps),
    check_domain: async (call) => await (await domains()).checkDomain(call, deps),
    drop_domain: async (call) => await (await domains()).dropDomain(call, deps),
    show_provisioning: async (call) => await (await provisioning()).showProvisioning(call, deps),
    change_provisioning: async (call) => await (await provisioning()).changeProvisioning(call, deps),
    make_provisioning_token: async (call) => await (await provisioning()).makeProvisioningToken(call, deps),
    remove_provisioning_token: async (call) =>
      await (await provisioning()).removeProvisioningToken(call, deps),
    release_sign_on: async (call) => await (await import("./sign-on-release.ts")).answerRelease(call, deps),
  };
}
