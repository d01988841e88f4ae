/** What FOCUS 1.3 asks of the columns that an export has. */

interface Asked {
  presence: "mandatory" | "conditional" | "recommended";
  type: "String" | "Decimal" | "Date/Time" | "Currency" | "Unit" | "JSON";
  /** Whether null is allowed. */
  null: "never" | "may";
  allowed?: readonly string[];
}

export const asked: Readonly<Record<string, Asked>> = {
  BilledCost: { presence: "mandatory", type: "Decimal", null: "never" },
  BillingAccountId: { presence: "mandatory", type: "String", null: "never" },
  BillingAccountName: { presence: "mandatory", type: "String", null: "never" },
  BillingCurrency: { presence: "mandatory", type: "Currency", null: "never" },
  BillingPeriodEnd: { presence: "mandatory", type: "Date/Time", null: "never" },
  BillingPeriodStart: { presence: "mandatory", type: "Date/Time", null: "never" },
  ChargeCategory: {
    presence: "mandatory",
    type: "String",
    null: "never",
    allowed: ["Usage", "Purchase", "Tax", "Credit", "Adjustment"],
  },
  ChargeClass: { presence: "mandatory", type: "String", null: "may", allowed: ["Correction"] },
  ChargeDescription: { presence: "mandatory", type: "String", null: "may" },
  ChargeFrequency: {
    presence: "recommended",
    type: "String",
    null: "never",
    allowed: ["One-Time", "Recurring", "Usage-Based"],
  },
  ChargePeriodEnd: { presence: "mandatory", type: "Date/Time", null: "never" },
  ChargePeriodStart: { presence: "mandatory", type: "Date/Time", null: "never" },
  ConsumedQuantity: { presence: "conditional", type: "Decimal", null: "may" },
  ConsumedUnit: { presence: "conditional", type: "Unit", null: "may" },
  ContractedCost: { presence: "mandatory", type: "Decimal", null: "never" },
  ContractedUnitPrice: { presence: "conditional", type: "Decimal", null: "may" },
  EffectiveCost: { presence: "mandatory", type: "Decimal", null: "never" },
  InvoiceId: { presence: "recommended", type: "String", null: "may" },
  InvoiceIssuerName: { presence: "mandatory", type: "String", null: "never" },
  ListCost: { presence: "mandatory", type: "Decimal", null: "never" },
  ListUnitPrice: { presence: "conditional", type: "Decimal", null: "may" },
  PricingCategory: {
    presence: "conditional",
    type: "String",
    null: "may",
    allowed: ["Standard", "Dynamic", "Committed", "Other"],
  },
  PricingCurrency: { presence: "conditional", type: "Currency", null: "never" },
  PricingCurrencyContractedUnitPrice: { presence: "conditional", type: "Decimal", null: "may" },
  PricingCurrencyEffectiveCost: { presence: "conditional", type: "Decimal", null: "never" },
  PricingCurrencyListUnitPrice: { presence: "conditional", type: "Decimal", null: "may" },
  PricingQuantity: { presence: "mandatory", type: "Decimal", null: "may" },
  PricingUnit: { presence: "mandatory", type: "Unit", null: "may" },
  ProviderName: { presence: "mandatory", type: "String", null: "never" },
  PublisherName: { presence: "mandatory", type: "String", null: "never" },
  ServiceProviderName: { presence: "mandatory", type: "String", null: "never" },
  HostProviderName: { presence: "mandatory", type: "String", null: "never" },
  ServiceCategory: {
    presence: "mandatory",
    type: "String",
    null: "never",
    allowed: ["AI and Machine Learning"],
  },
  ServiceName: { presence: "mandatory", type: "String", null: "never" },
  ServiceSubcategory: {
    presence: "recommended",
    type: "String",
    null: "never",
    allowed: ["Generative AI", "AI Platforms", "Other (AI and Machine Learning)"],
  },
  SkuId: { presence: "conditional", type: "String", null: "may" },
  SkuMeter: { presence: "conditional", type: "String", null: "may" },
  SkuPriceDetails: { presence: "conditional", type: "JSON", null: "may" },
  SkuPriceId: { presence: "conditional", type: "String", null: "may" },
  SubAccountId: { presence: "conditional", type: "String", null: "may" },
  SubAccountName: { presence: "conditional", type: "String", null: "may" },
  Tags: { presence: "conditional", type: "JSON", null: "may" },
};
