import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"
import { apiOf } from "./harness/Tenant.ts"

inBrowser("the audit trail and events in the console", (browser) => {
  const demo = demoOf()

  test("the audit trail updates live, filters in the address, and shows a record", async () => {
    const place = await demo()
    const { credentials } = apiOf(place)
    const olivia = await Person.as("owner", await browser(), place, "/audit?method=DELETE")
    await olivia.sees("Nothing is recorded")
    const { credential_id } = await credentials.mint({ kind: "api-key", tier: 0, label: "looked for" })
    await credentials.revoke({ credential_id })
    await olivia.sees("DELETE /v1/credentials/:credential_id")
    await olivia.click("Details")
    await olivia.sees(credential_id)
    await olivia.isAccessible()
    await olivia.press("Escape")
    await olivia.click("More filters", "DisclosureTriangle")
    await olivia.fill("Resource ID", credential_id)
    await olivia.isAt(new RegExp(`resource=${credential_id}`))
    await olivia.page.reload()
    await olivia.sees("DELETE /v1/credentials/:credential_id")
    const shown = await olivia.page.$$eval("main tbody tr", (_) => _.length)
    assert.strictEqual(shown, 1)
    olivia.hasNoFaults()
  })

  test("events arrive live, wait while paused, and show their data", async () => {
    const place = await demo()
    const { credentials } = apiOf(place)
    const olivia = await Person.as("owner", await browser(), place, "/events")
    await olivia.select("Topic", "iam.credentials")
    await olivia.page.waitForSelector("main tbody tr")
    const first = await credentials.mint({ kind: "api-key", tier: 0, label: "told" })
    await olivia.sees(first.credential_id)
    await olivia.click("Pause")
    const second = await credentials.mint({ kind: "api-key", tier: 0, label: "held" })
    await olivia.sees("Go on (1 new)")
    await olivia.seesNot(second.credential_id)
    await olivia.click("Go on (1 new)")
    await olivia.sees(second.credential_id)
    await olivia.clickOn("main tbody tr button")
    await olivia.sees('"credential.created"')
    assert.notInclude(await olivia.text(), second.pat ?? "a token")
    await olivia.isAccessible()
    olivia.hasNoFaults()
  })
})
