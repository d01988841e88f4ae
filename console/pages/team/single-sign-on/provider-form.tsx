/** The dialog that sets the connection to the organization's provider. */
import { useState } from "preact/hooks";
import type { SignOnConnection } from "../../../api-types.ts";
import { Dialog } from "../../../parts/dialog.tsx";
import { DialogForm } from "../../../parts/dialog-form.tsx";
import { Choice, Field, fieldsOf, Select } from "../../../parts/field.tsx";
import { TextArea } from "../../../parts/text-area.tsx";
import { api } from "../../../session.ts";
import { frameWords } from "../../../words.ts";

type Words = typeof import("./en.ts").words;
type RoleRule = SignOnConnection["rules"][number];
type RuleRole = RoleRule["role"];

const givenRoles = ["admin", "finance", "member"] as const satisfies readonly RuleRole[];

interface ProviderFormProps {
  words: Words;
  connection: SignOnConnection | null;
  onClose: () => void;
  onDone: () => void;
}

/** A line such as `group = role #project #project`: no handle of a project has a `#`. */
const ruleLine = /^(.+)=\s*(admin|finance|member)\s*(#.*)?$/;

/** The rules of a text with one on each line; undefined where a line is none. */
function rulesIn(text: string): RoleRule[] | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const rules = lines.map((line): RoleRule | undefined => {
    const [, group = "", role, named = ""] = ruleLine.exec(line.trim()) ?? [];
    const given = givenRoles.find((each) => each === role);
    const projects = named.split("#").flatMap((each) => each.trim() || []);
    return group.trim() !== "" && given ? { group: group.trim(), role: given, projects } : undefined;
  });
  return rules.every((rule) => rule !== undefined) ? rules : undefined;
}

const lineOf = ({ group, role, projects }: RoleRule): string =>
  [`${group} = ${role}`, ...(projects ?? []).map((each) => `#${each}`)].join(" ");

export function ProviderForm({ words, connection, onClose, onDone }: ProviderFormProps) {
  const [form, setForm] = useState({
    issuer: connection?.issuer ?? "",
    client_id: connection?.client_id ?? "",
    client_secret: "",
    scope: connection?.scope ?? "openid email profile",
    groups_claim: connection?.groups_claim ?? "groups",
    admits: connection?.admits ?? ("domain" as const),
    rules: connection?.rules.map(lineOf).join("\n") ?? "",
    default_role: (connection ? (connection.default_role ?? "nobody") : "member") as RuleRole | "nobody",
  });
  const [isWrong, setWrong] = useState(false);
  const field = fieldsOf(form, (change) => setForm({ ...form, ...change }));
  const roleNames = frameWords.value.roles;
  const save = async () => {
    const rules = rulesIn(form.rules);
    setWrong(!rules);
    if (!rules) return;
    const { client_secret, default_role, ...others } = form;
    await api.patch<"change_sign_on">("/api/v1/sign-on", {
      ...others,
      ...(client_secret && { client_secret }),
      default_role: default_role === "nobody" ? null : default_role,
      rules,
    });
    onDone();
    onClose();
  };
  return (
    <Dialog title={words.set} onClose={onClose}>
      <DialogForm action={frameWords.value.save} act={save} onClose={onClose}>
        <Field label={words.issuer} hint={words.issuerHint} autocomplete="off" {...field("issuer")} />
        <Field label={words.clientId} autocomplete="off" {...field("client_id")} />
        <Field
          label={words.clientSecret}
          hint={words.secretHint}
          type="password"
          autocomplete="off"
          {...field("client_secret")}
        />
        <Choice
          label={words.admits}
          options={(["domain", "everybody"] as const).map((value) => ({
            value,
            name: words.admissions[value],
            about: words.admissionsAbout[value],
          }))}
          {...field("admits")}
        />
        <TextArea label={words.rules} rows={4} {...field("rules")} />
        <p class="hint">{words.rulesHint}</p>
        <p class="wrong" aria-live="polite">
          {isWrong && words.rulesWrong}
        </p>
        <Select
          label={words.defaultRole}
          options={[
            ...givenRoles.map((role) => [role, roleNames[role]] as const),
            ["nobody", words.nobody] as const,
          ]}
          {...field("default_role")}
        />
        <div class="pair">
          <Field label={words.scope} autocomplete="off" {...field("scope")} />
          <Field label={words.groupsClaim} autocomplete="off" {...field("groups_claim")} />
        </div>
      </DialogForm>
    </Dialog>
  );
}
