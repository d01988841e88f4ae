import { SFNClient, StartExecutionCommand, StopExecutionCommand } from "@aws-sdk/client-sfn";
import { adapted, type OpenClient } from "../aws-clients.ts";

/** AWS's client of Step Functions. */
export const stepFunctions: OpenClient = (settings) =>
  adapted(new SFNClient(settings), {
    StartExecution: StartExecutionCommand,
    StopExecution: StopExecutionCommand,
  });
