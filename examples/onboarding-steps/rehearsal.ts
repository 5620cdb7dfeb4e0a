import { collections, companyUrl } from "@portico/testing/cloud/collections"
import { CompanySteps } from "./steps.ts"

// What `npx @portico/testing rehearse ./rehearsal.ts` plays, and what the tests use.

export const onboarding = CompanySteps

/** The clients of the steps read them. */
export const settings = { CMDB_URL: companyUrl("cmdb"), CMDB_TOKEN: "a token of the inventory" }

/** The cloud has a DNS service, but no inventory. */
export const company = () => ({ cmdb: collections({ entries: { unique: "key" } }) })
