/** How hosts of other makers' models write their names: a model is known by the name that its maker gives it. */

/** The form of a host's names. `dot` is what stands for a dot between two digits. */
interface HostForm {
  names: RegExp;
  dot?: string;
  /** Said of a name without this form. */
  otherwise: string;
}

const fireworks: HostForm = {
  names: /^(?:accounts\/[\w-]+\/models\/)?([\w.-]+)$/,
  dot: "p",
  otherwise: "it is a router of this host, and no model",
};

/** The address of Bedrock that speaks Anthropic's protocol takes these names alone, without a region and a version. */
const bedrock: HostForm = {
  names: /^anthropic\.(claude-[\w-]+)$/,
  otherwise: "this host is called in Anthropic's protocol, by names such as anthropic.claude-opus-4-8",
};

const openai: HostForm = {
  names: /^(?!ft:)(?:.*\/)?([^/]+)$/,
  otherwise: "it prices models that customers train, and each of them has its own name",
};

/** The forms by the public lists' names of the hosts. */
const forms = new Map([
  ["openai", openai],
  ["fireworks_ai", fireworks],
  ["fireworks-ai", fireworks],
  ["bedrock", bedrock],
  ["bedrock_converse", bedrock],
  ["bedrock_mantle", bedrock],
  ["amazon-bedrock", bedrock],
]);

/** The maker's name of a host's model: `glm-5.1` for `accounts/fireworks/models/glm-5p1`. Or why it cannot be called. */
export function ownName(host: string, name: string): { name: string } | { why: string } {
  const form = forms.get(host);
  if (!form) return { name: name.slice(name.lastIndexOf("/") + 1) };
  const [, own] = form.names.exec(name) ?? [];
  if (own === undefined) return { why: form.otherwise };
  if (form.dot === undefined) return { name: own };
  return { name: own.replaceAll(new RegExp(`(?<=\\d)${form.dot}(?=\\d)`, "g"), ".") };
}
