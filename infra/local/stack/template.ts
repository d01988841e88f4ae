/** Reads a template, with its functions resolved to this machine. A resource without a name has its logical id. */
import { readFileSync } from "node:fs";

export const region = "us-east-1";
export const account = "000000000000";

interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
  Metadata?: Record<string, unknown>;
}

interface Template {
  Resources: Record<string, Resource>;
  Outputs?: Record<string, { Value: unknown }>;
}

export interface ResolvedResource {
  /** Its name in the template. */
  id: string;
  /** What `Ref` gives: its name, address or ARN. */
  reference: string;
  /** Its ARN. */
  arn: string;
  /** A property with everything in it resolved. Throws on an intrinsic function that is not known here. */
  property(name: string): unknown;
  metadata: Record<string, unknown>;
}

export interface TemplateReader {
  /** The resources of a type, in the template's order. */
  resources(type: string): ResolvedResource[];
  /** The stack's outputs by name. */
  outputs(): Record<string, string>;
}

export function readTemplate(file: string): TemplateReader {
  return createReader(JSON.parse(readFileSync(file, "utf8")) as Template);
}

/** Resolves a property when it is read: resources without a stand-in here may use unknown functions. */
export function createReader(template: Template): TemplateReader {
  const { resolve, reference } = createResolver(template);
  return {
    resources: (type) =>
      Object.entries(template.Resources)
        .filter(([, resource]) => resource.Type === type)
        .map(([id, { Properties = {}, Metadata = {} }]) => ({
          id,
          reference: reference(id),
          arn: resolve({ "Fn::GetAtt": [id, "Arn"] }) as string,
          property: (name) => resolve(Properties[name]),
          metadata: Metadata,
        })),
    outputs: () =>
      Object.fromEntries(
        Object.entries(template.Outputs ?? {}).map(([name, { Value }]) => [name, String(resolve(Value))]),
      ),
  };
}

const pseudoParameters: Record<string, string> = {
  "AWS::Region": region,
  "AWS::AccountId": account,
  "AWS::Partition": "aws",
  "AWS::URLSuffix": "amazonaws.com",
  "AWS::StackName": "local",
};

interface Resolver {
  resolve(value: unknown): unknown;
  reference(id: string): string;
}

function createResolver(template: Template): Resolver {
  const find = (id: string): Resource => {
    const resource = template.Resources[id];
    if (!resource) throw new Error(`template: there is no resource ${id}`);
    return resource;
  };
  const reference = (id: string): string => pseudoParameters[id] ?? referenceTo(id, find(id), resolve);
  const attribute = (path: string): string => {
    const [id = "", ...name] = path.split(".");
    return attributeOf(id, find(id), name.join("."), resolve);
  };
  const substitute = (text: string, values: Record<string, unknown>): string =>
    text.replace(/\$\{([^!}][^}]*)\}/g, (_, name: string) => {
      if (name in values) return String(resolve(values[name]));
      return name.includes(".") ? attribute(name) : reference(name);
    });

  const functions: Record<string, (argument: never) => unknown> = {
    Ref: (id: string) => reference(id),
    "Fn::GetAtt": (path: string | string[]) => attribute(typeof path === "string" ? path : path.join(".")),
    "Fn::Sub": (argument: string | [string, Record<string, unknown>]) =>
      typeof argument === "string" ? substitute(argument, {}) : substitute(...argument),
    "Fn::Join": ([separator, parts]: [string, unknown]) => (resolve(parts) as string[]).join(separator),
    "Fn::Split": ([separator, text]: [string, unknown]) => String(resolve(text)).split(separator),
    "Fn::Select": ([index, list]: [unknown, unknown]) => (resolve(list) as unknown[])[Number(resolve(index))],
  };

  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== "object" || value === null) return value;
    const [[name, argument] = ["", undefined], ...others] = Object.entries(value);
    const intrinsic = others.length === 0 ? functions[name] : undefined;
    if (intrinsic) return intrinsic(argument as never);
    if (name.startsWith("Fn::")) throw new Error(`template: ${name} is not known here`);
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, resolve(child)]));
  }
  return { resolve, reference };
}

/** A queue's address as SQS gives it; the embedded server reads the name and the region out of it. */
export function queueUrlOf(name: string): string {
  return `https://sqs.${region}.amazonaws.com/${account}/${name}`;
}

/** What `Ref` gives: a name, an address or an ARN, by the type's own documentation. */
function referenceTo(id: string, resource: Resource, resolve: (value: unknown) => unknown): string {
  switch (resource.Type) {
    case "AWS::SQS::Queue":
      return queueUrlOf(nameOf(id, resource, resolve));
    case "AWS::SecretsManager::Secret":
    case "AWS::Lambda::Alias":
    case "AWS::Lambda::Version":
    case "AWS::StepFunctions::StateMachine":
      return arnOf(id, resource, resolve);
    default:
      return nameOf(id, resource, resolve);
  }
}

function attributeOf(
  id: string,
  resource: Resource,
  attribute: string,
  resolve: (value: unknown) => unknown,
): string {
  if (attribute.endsWith("Arn") || attribute === "Id") return arnOf(id, resource, resolve);
  if (attribute.endsWith("Name")) return nameOf(id, resource, resolve);
  if (attribute === "QueueUrl") return referenceTo(id, resource, resolve);
  if (attribute === "Version") return "1";
  // The address is known only once the port is open, and no function needs it.
  if (attribute === "FunctionUrl") return `https://${id.toLowerCase()}.lambda-url.${region}.on.aws/`;
  throw new Error(`template: the attribute ${attribute} of ${id} (${resource.Type}) is not known here`);
}

/** The property by which a template names a resource of this type. */
const nameProperties = ["TableName", "QueueName", "FunctionName", "Name", "StateMachineName"];

function nameOf(id: string, resource: Resource, resolve: (value: unknown) => unknown): string {
  const properties = resource.Properties ?? {};
  const given = nameProperties.find((property) => properties[property] !== undefined);
  return given ? String(resolve(properties[given])) : id;
}

/** What stands behind the service in the ARN of a resource with this name. */
const arnPaths: Readonly<
  Record<string, (name: string, resource: Resource) => [service: string, path: string]>
> = {
  "AWS::Lambda::Function": (name) => ["lambda", `function:${name}`],
  // These two are named after their function, with the qualifier at the end.
  "AWS::Lambda::Alias": (name, { Properties }) => ["lambda", `function:${name}:${String(Properties?.Name)}`],
  "AWS::Lambda::Version": (name) => ["lambda", `function:${name}:1`],
  "AWS::DynamoDB::GlobalTable": (name) => ["dynamodb", `table/${name}`],
  "AWS::SQS::Queue": (name) => ["sqs", name],
  "AWS::SecretsManager::Secret": (name) => ["secretsmanager", `secret:${name}`],
  "AWS::Events::EventBus": (name) => ["events", `event-bus/${name}`],
  "AWS::StepFunctions::StateMachine": (name) => ["states", `stateMachine:${name}`],
};

function arnOf(id: string, resource: Resource, resolve: (value: unknown) => unknown): string {
  const name = nameOf(id, resource, resolve);
  const usual = () => [resource.Type.split("::")[1]?.toLowerCase() ?? "", name];
  const [service, path] = arnPaths[resource.Type]?.(name, resource) ?? usual();
  return `arn:aws:${service}:${region}:${account}:${path}`;
}
