/**
 * The types that follow from the schemas. The compiler checks this file (`npm run types`): each line that it must refuse
 * is marked, and one that it takes is an error.
 */
import { expect, expectTypeOf, test } from "vitest";
import { jsonReply } from "#shared/base/http/message.ts";
import type { invoiceRoutes } from "#shared/edges/console/routes/invoices.ts";
import type { consoleSchemas } from "#shared/edges/openapi/console-operations.ts";
import type { ownSchemas } from "#shared/edges/openapi/own-schemas.ts";
import type {
  AnswersTo,
  ConsoleAnswer,
  ConsoleBody,
  ConsolePath,
  ConsoleSchema,
  GatewaySchema,
} from "#shared/edges/openapi/route-types.ts";

/** The names of members of which a schema does not tell the type. */
type Untold<T> = T extends readonly (infer Item)[]
  ? Untold<Item>
  : T extends object
    ? { [Name in keyof T]-?: unknown extends T[Name] ? Name : Untold<T[Name]> }[keyof T]
    : never;

test("the schemas tell the types of all members", () => {
  type Console = { [Name in keyof typeof consoleSchemas]: ConsoleSchema<Name> };
  type Gateway = { [Name in keyof typeof ownSchemas]: GatewaySchema<Name> };
  expectTypeOf<Untold<Console> | Untold<Gateway>>().toBeNever();
  // @ts-expect-error: one that is written out says nothing, and is found.
  expectTypeOf<Untold<{ data: { price: unknown }[] }>>().toBeNever();
});

test("an operation that names a member otherwise does not compile", async () => {
  type ListStatements = AnswersTo<typeof invoiceRoutes>["list_statements"];
  const list = { object: "list", has_more: false, last_id: null } as const;
  const month = { month: "2026-11", opening_points: "0", is_running: true };
  const reply = <const Month extends object>(data: Month) => jsonReply({ ...list, data: [data] });
  const right: ListStatements = async () => reply({ ...month, closing_points: "1" });
  // @ts-expect-error
  const renamed: ListStatements = async () => reply({ ...month, closing: "1" });
  // @ts-expect-error
  const nulled: ListStatements = async () => reply({ ...month, closing_points: null });
  const replies = await Promise.all([right, renamed, nulled].map((answer) => answer({} as never)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
});

test("a page that reads, sends or asks for anything else does not compile", () => {
  const invoice = { paid_back: "1.00" } as ConsoleAnswer<"show_invoice">;
  expect(invoice.paid_back).toBe("1.00");
  // @ts-expect-error
  expect(invoice.repaid).toBeUndefined();
  // @ts-expect-error
  const body: ConsoleBody<"create_recharge"> = { amount: "1", via: "alipay" };
  // @ts-expect-error
  const path: ConsolePath<"show_invoice"> = "/api/v1/invoice/ivc_1";
  expect([body, path]).toHaveLength(2);
});
