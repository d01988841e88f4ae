import { words as sdk } from "./sdk.ts";

export const words = {
  sdk,
  title: "Docs",
  lead: "Any vendor's SDK calls any model. It needs two things: our address, and a key.",
  key: "Your key",
  keyLead: "The programs read it from the environment, so that it does not end up in your code.",
  keyFilled: "This is the key that you made in this tab. It is forgotten when you close it.",
  keyLine: "Command that sets the key",
  yourKey: "YOUR_KEY",
  makeKey: "Create an API key",
  program: "A first program",
  addresses: "Base URLs",
  addressesLead: "An SDK that you use already only needs its address changed.",
  sdkName: "SDK",
  address: "Base URL",
  reference: "All routes and fields",
  referenceLead: "The reference lists every route of the gateway with its fields, errors and examples.",
  openReference: "Open the reference",
  noGateway: "This console does not know the gateway's address",
  noGatewayLead: "Ask the operator for it.",
};
