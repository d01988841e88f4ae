/** Names of Amazon Bedrock's inference profiles, which reach a model in several regions. */

/** The beginnings of the names of inference profiles that reach over regions: the geographies of AWS. */
const geographies = /^(?:global|us|us-gov|eu|apac|ap|jp|au|ca|sa|me|il|mx)\.(?=[a-z\d-]+\.)/;

/** The model behind the name of an inference profile; undefined for what is no name of one. */
export function modelOfProfile(name: string): string | undefined {
  return geographies.test(name) ? name.replace(geographies, "") : undefined;
}
