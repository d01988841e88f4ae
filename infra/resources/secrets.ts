/** The secrets of a stage: made by its stack, or given by name (infra/resources/secrets.md). */
import { type RemovalPolicy, SecretValue, Validations } from "aws-cdk-lib";
import { type ISecret, Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import type { Stage } from "../stage/stage.ts";

/** A secret that others can be let read or fill in. */
export type GivableSecret = Pick<ISecret, "secretArn" | "grantRead" | "grantWrite">;

/** A secret as processes and policies name it. */
export interface StageSecret {
  /** What Secrets Manager is asked for: the ARN, or the name of a given one. */
  id: string;
  /** The resource of policies. Of a given name the six characters at the end of the ARN are unknown. */
  resource: string;
  /** For whoever builds on the gateway (construct.md). */
  secret: GivableSecret;
}

export interface StageSecrets {
  pepper: StageSecret;
  providers: StageSecret;
  accounts: StageSecret;
  platforms: StageSecret;
}

/** The secrets of the stage. Throws `RangeError` on a given one that is neither a name nor a whole ARN. */
export function createSecrets(scope: Construct, stage: Stage): StageSecrets {
  const given = stage.secrets ?? {};
  const { removalPolicy } = stage;
  const secretOf = (
    name: keyof StageSecrets,
    create: typeof createRandomSecret,
    props: Omit<SecretProps, "removalPolicy">,
  ): StageSecret => {
    const id = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const named = given[name];
    if (named !== undefined) return givenSecret(scope, `Given${id}`, named);
    return create(scope, id, { ...props, removalPolicy });
  };
  return {
    pepper: secretOf("pepper", createRandomSecret, {
      description: "Key of the HMAC under which API keys are stored. Changing it invalidates every key.",
      unrotated:
        "A schedule cannot rotate it: the version before is needed until every living key was used. An operator rotates it (infra/resources/secrets.md).",
    }),
    providers: secretOf("providers", createEmptySecret, {
      description:
        "JSON object of the catalog's secret names and the providers' API keys. Operators fill it in.",
      unrotated:
        "Provider keys are issued by the providers, none of which offers an interface to rotate them.",
    }),
    // With another value nobody finds an account by a phone (infra/resources/secrets.md).
    accounts: secretOf("accounts", createRandomSecret, {
      description:
        "What phones are hashed and encrypted with, and sessions signed. Changing it loses every account.",
      unrotated:
        "A schedule cannot rotate it: the version before is needed until every phone is stored under the next. An operator rotates it (infra/resources/secrets.md).",
    }),
    platforms: secretOf("platforms", createEmptySecret, {
      description:
        "JSON object of the payment platforms' and the message sender's credentials. Operators fill it in.",
      unrotated: "The platforms issue these credentials, and offer no interface to rotate them.",
    }),
  };
}

interface SecretProps {
  description: string;
  removalPolicy: RemovalPolicy;
  /** Why no schedule rotates it. */
  unrotated: string;
}

/**
 * A secret with a random value, which operators rotate. A change of `generateSecretString` makes CloudFormation generate
 * another value, and so does another logical id. Then every key of every customer is refused, or every account is lost.
 * A test pins both (test/deployed/secrets.test.ts).
 */
function createRandomSecret(scope: Construct, id: string, { unrotated, ...props }: SecretProps): StageSecret {
  const generateSecretString = { passwordLength: 64, excludePunctuation: true };
  return withoutSchedule(new Secret(scope, id, { ...props, generateSecretString }), unrotated);
}

/** A secret that an operator fills in. It is an empty object and not random, so that what is missing is told as missing. */
export function createEmptySecret(
  scope: Construct,
  id: string,
  { unrotated, ...props }: SecretProps,
): StageSecret {
  const secretStringValue = SecretValue.unsafePlainText("{}");
  return withoutSchedule(new Secret(scope, id, { ...props, secretStringValue }), unrotated);
}

/** Lets the secret pass the rule that a schedule rotates it, for this reason. */
function withoutSchedule(secret: Secret, reason: string): StageSecret {
  Validations.of(secret).acknowledge({ id: "AwsSolutions-SMG4", reason });
  return madeSecret(secret);
}

function givenSecret(scope: Construct, id: string, given: string): StageSecret {
  if (/^[\w/+=.@-]{1,512}$/.test(given)) {
    const secret = Secret.fromSecretNameV2(scope, id, given);
    return { id: secret.secretName, resource: `${secret.secretArn}-??????`, secret };
  }
  if (!/^arn:aws[a-z-]*:secretsmanager:[a-z0-9-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/.test(given)) {
    throw new RangeError(
      `secret "${given}": expected its name, or its whole ARN with the six characters at its end`,
    );
  }
  return madeSecret(Secret.fromSecretCompleteArn(scope, id, given));
}

/** A secret whose whole ARN is known. */
function madeSecret(secret: GivableSecret): StageSecret {
  return { id: secret.secretArn, resource: secret.secretArn, secret };
}
