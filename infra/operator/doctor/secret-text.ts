/** The text of a stage's secret, for the checks that look into it. No value is ever shown. */
import { type CheckFinding, fail, isMissing } from "./check.ts";
import { outputOf, type StagePlace } from "./stage-place.ts";

/** Judges the text of a secret. `judge` also gets its id. One that the stack does not name, or that is gone, fails. */
export async function judgeSecret(
  place: StagePlace,
  output: "providersSecret" | "platformsSecret",
  of: string,
  judge: (text: string, id: string) => CheckFinding,
): Promise<CheckFinding> {
  const SecretId = outputOf(place, output);
  if (!SecretId) return fail(`the stack names no secret ${of}`, "deploy the stage again");
  try {
    const { SecretString = "" } = await place.ask("secretsmanager:GetSecretValue", { SecretId });
    return judge(SecretString, SecretId);
  } catch (error) {
    if (!isMissing(error)) throw error;
    return fail("the secret is not there", "restore it: aws secretsmanager restore-secret");
  }
}
