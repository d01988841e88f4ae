/** Programs that people sign in (people/identity/programs.md). */
import type { AnswersTo } from "../../openapi/route-types.ts";
import type { deviceRoutes } from "../routes/device.ts";
import { decideDevice, listPrograms, lookAtDevice } from "./device-approval.ts";
import { showAuthorizationServer, startDevice } from "./device-code.ts";
import type { DeviceDeps } from "./device-deps.ts";
import { getDeviceToken, revokeDeviceToken } from "./device-token.ts";

/** The operations of `edges/console/routes/device.ts`. */
export function deviceAnswers(deps: DeviceDeps): AnswersTo<typeof deviceRoutes> {
  return {
    show_authorization_server: (call) => showAuthorizationServer(call, deps),
    start_device: (call) => startDevice(call, deps),
    get_device_token: (call) => getDeviceToken(call, deps),
    revoke_device_token: (call) => revokeDeviceToken(call, deps),
    look_at_device: (call) => lookAtDevice(call, deps),
    decide_device: (call) => decideDevice(call, deps),
    list_programs: (call) => listPrograms(call, deps),
  };
}
