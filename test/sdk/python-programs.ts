/** The clients of the Python matrix. */

/** The sets of packages; each has a file of pins and a virtual environment. */
export const environments = { frameworks: "requirements.txt", litellm: "requirements-litellm.txt" } as const;
export type EnvironmentName = keyof typeof environments;

/**
 * A program of `test/sdk/python` for one client: its file, the client as it is named there, and the
 * environment it wants.
 */
export type Program = readonly [file: string, client: string, environment: EnvironmentName];

/** The programs in order of the table: file, client as it is named there, environment. */
export const programs: readonly Program[] = [
  ["openai_sdk.py", "openai 3, chat", "frameworks"],
  ["openai_sdk.py", "openai 3, responses", "frameworks"],
  ["openai_sdk.py", "openai 2, chat", "litellm"],
  ["openai_sdk.py", "openai 2, responses", "litellm"],
  ["anthropic_sdk.py", "anthropic 2", "frameworks"],
  ["anthropic_sdk.py", "anthropic 1", "litellm"],
  ["bedrock_sdk.py", "boto3 1, converse", "litellm"],
  ["bedrock_sdk.py", "boto3 1, invoke_model", "litellm"],
  ["langchain_aws_sdk.py", "langchain-aws 1, converse", "litellm"],
  ["langchain_aws_sdk.py", "langchain-aws 1, invoke_model", "litellm"],
  ["google_sdk.py", "google-genai 3", "litellm"],
  ["google_sdk.py", "google-genai 2", "frameworks"],
  ["ark_sdk.py", "volcengine ark 5", "frameworks"],
  ["zai_sdk.py", "zai-sdk 0", "frameworks"],
  ["litellm_sdk.py", "litellm 1, openai/", "litellm"],
  ["litellm_sdk.py", "litellm 1, anthropic/", "litellm"],
  ["litellm_sdk.py", "litellm 1, gemini/", "litellm"],
  ["langchain_sdk.py", "langchain-openai 1", "frameworks"],
  ["langchain_sdk.py", "langchain-openai 1, responses", "frameworks"],
  ["langchain_sdk.py", "langchain-anthropic 1", "frameworks"],
  ["langchain_sdk.py", "langchain-google-genai 4", "frameworks"],
  ["pydantic_sdk.py", "pydantic-ai 2, openai chat", "frameworks"],
  ["pydantic_sdk.py", "pydantic-ai 2, openai responses", "frameworks"],
  ["pydantic_sdk.py", "pydantic-ai 2, anthropic", "frameworks"],
  ["pydantic_sdk.py", "pydantic-ai 2, google", "frameworks"],
];
