import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"

// One page in every run; the others: *.integration.test.ts beside this file.
inBrowser("signing in to the console", (browser) => {
  const demo = demoOf()

  test("returns to the page that was requested, and leaves nothing in the browser's storage", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials?kind=api-key")
    await olivia.sees("demo tier 0")
    await olivia.isAt("/credentials?kind=api-key")
    const left = await olivia.page.evaluate(() => ({ local: localStorage.length, session: sessionStorage.length }))
    assert.deepStrictEqual(left, { local: 0, session: 0 })
    assert.strictEqual(await olivia.page.evaluate(() => document.cookie), "")
    olivia.hasNoFaults()
  })
})
