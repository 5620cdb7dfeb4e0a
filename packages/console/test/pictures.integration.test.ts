import { type TestContext, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"
import { fontsOf, looksAsBefore } from "./harness/pictures.ts"
import { inUse } from "./harness/Tenant.ts"

/** Of the fonts that the pictures were made with. */
const knownFonts = "1474.0 1625.5"

const withKnownFonts = async (person: Person, { skip }: TestContext): Promise<void> => {
  const fonts = await fontsOf(person)
  if (fonts !== knownFonts) skip(`THE FONTS HERE (${fonts}) ARE OTHERS than those of the pictures (${knownFonts})`)
}

inBrowser("the main pages look as before", (browser) => {
  const demo = demoOf()
  let zone: Promise<string> | undefined
  const furnished = () => (zone ??= demo().then(async (_) => (await inUse(_)).zone_id))

  const customerPages: ReadonlyArray<readonly [string, () => Promise<string>, string]> = [
    ["overview", async () => "/", "CPU cores"],
    ["servers", async () => "/compute/servers", "demo"],
    ["database", async () => "/databases/postgres/orders", "Delete"],
    ["zone", async () => `/dns/zones/${await furnished()}`, "www"],
    ["bucket", async () => "/object-storage/buckets/acme-media", "logo.svg"],
    ["costs", async () => "/costs", "Spent"],
    ["credentials", async () => "/credentials", "deployment"],
    ["minting", async () => "/credentials?dialog=mint", "Allowed from"],
    ["tree", async () => "/credentials/tree", "deployment"],
    ["effective", async () => "/policy/effective", "autoscaling"],
    ["audit", async () => "/audit", "/v1/credentials"],
    ["webhooks", async () => "/webhooks", "duty.acme.example"]
  ]

  for (const [name, path, shown] of customerPages) {
    test(`${name} of a customer`, async (context) => {
      await furnished()
      const olivia = await Person.as("owner", await browser(), await demo(), await path())
      await withKnownFonts(olivia, context)
      await olivia.sees(shown)
      await olivia.seesNot("It comes up")
      await looksAsBefore(olivia, "tenants", name)
      olivia.hasNoFaults()
    })
  }

  const operatorPages: ReadonlyArray<readonly [string, string, string]> = [
    ["overview", "/", "Floating IPs"],
    ["signups", "/signups", "Initech"],
    ["tenants", "/tenants", "Globex"],
    ["onboardings", "/onboardings", "Nothing is under way"],
    ["capacity", "/capacity", "Forecast"],
    ["upstreams", "/upstreams", "zitadel"],
    ["incidents", "/incidents", "9 rows"]
  ]

  for (const [name, path, shown] of operatorPages) {
    test(`${name} of an operator`, async (context) => {
      await furnished()
      const ora = await Person.as("operator", await browser(), await demo(), path)
      await withKnownFonts(ora, context)
      await ora.sees(shown)
      // The first servers are measured a while after the start.
      await ora.seesNot("CPU unknown")
      await looksAsBefore(ora, "operators", name)
      ora.hasNoFaults()
    })
  }
})
