/** The dialog that credits points to a wallet, or takes some out. */
import { useState } from "preact/hooks";
import type { AdminAnswer, AdminBody } from "../../../../shared/edges/openapi/route-types.ts";
import { creditBody, isReference, isSignedPoints } from "../../../operators/credit-form.ts";
import { operatorWords } from "../../../operators/words.ts";
import { WriteDialog } from "../../../operators/write-dialog.tsx";
import { Field, fieldsOf, Select } from "../../../parts/field.tsx";

type Words = typeof import("./en.ts").words;

interface CreditDialogProps {
  words: Words;
  customer: { path: `/api/admin/v1/organizations/${string}`; name: string };
  onClose: () => void;
  onDone: (answer: AdminAnswer<"credit_organization">) => void;
}

/** Without a choice the server takes the usual one. */
const kinds = ["", "bought", "promotional", "refund", "adjustment"] as const;

export function CreditDialog({ words, customer, onClose, onDone }: CreditDialogProps) {
  const [form, setForm] = useState({ points: "", reference: "", kind: "" as (typeof kinds)[number] });
  const field = fieldsOf(form, (change) => setForm({ ...form, ...change }));
  const shared = operatorWords.value;
  const body = (reason: string): AdminBody<"credit_organization"> | undefined => creditBody(form, reason);
  return (
    <WriteDialog<"credit_organization">
      title={words.creditOf(customer.name)}
      action={words.book}
      path={`${customer.path}/credits`}
      body={body}
      onClose={onClose}
      onDone={onDone}
      fields={(isTried) => (
        <>
          <Field
            label={shared.points}
            hint={words.pointsHint}
            wrong={isTried && !isSignedPoints(form.points) && words.pointsWrong}
            inputMode="text"
            autocomplete="off"
            {...field("points")}
          />
          <Field
            label={shared.reference}
            hint={words.referenceHint}
            wrong={isTried && !isReference(form.reference) && words.referenceWrong}
            maxLength={128}
            autocomplete="off"
            {...field("reference")}
          />
          <Select
            label={shared.kind}
            options={kinds.map(
              (each) => [each, each ? (shared.creditKinds[each] ?? each) : words.usual] as const,
            )}
            {...field("kind")}
          />
        </>
      )}
    />
  );
}
