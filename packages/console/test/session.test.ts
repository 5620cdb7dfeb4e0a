import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"

inBrowser("signing in to the console", (browser) => {
  const demo = demoOf()

  test("comes back to the page that was asked for, and leaves nothing in the browser's storage", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials?kind=api-key")
    await olivia.sees("demo tier 0")
    assert.strictEqual(olivia.where(), "/credentials?kind=api-key")
    const left = await olivia.page.evaluate(() => ({ local: localStorage.length, session: sessionStorage.length }))
    assert.deepStrictEqual(left, { local: 0, session: 0 })
    assert.strictEqual(await olivia.page.evaluate(() => document.cookie), "")
    olivia.hasNoFaults()
  })

  test("is kept over a reload and in a second window, and ends in both", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    await olivia.sees("demo tier 0")
    await olivia.page.reload()
    await olivia.sees("demo tier 0")
    const second = await olivia.anotherWindow("/credentials")
    await second.sees("demo tier 0")
    await second.choose("You", "Sign out")
    await second.sees("Sign in with your account")
    await olivia.sees("Your session has ended")
    await olivia.page.reload()
    await olivia.sees("Sign in with your account")
  })

  test("goes on at the same page after the session has ended", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials?kind=api-key")
    const second = await olivia.anotherWindow("/credentials")
    await second.sees("demo tier 0")
    await second.choose("You", "Sign out")
    await olivia.sees("Your session has ended")
    await olivia.signIn("owner")
    await olivia.sees("demo tier 0")
    assert.strictEqual(olivia.where(), "/credentials?kind=api-key")
  })

  test("shows nothing of one person in the name of another", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    await olivia.sees("demo tier 0")
    const vera = await olivia.anotherWindow("/credentials")
    await vera.choose("You", "Sign in as somebody else")
    await vera.choosePerson("viewer")
    await vera.sees("demo tier 0")
    await olivia.page.waitForFunction(() =>
      performance.getEntriesByType("navigation").some((_) => _.toJSON().type === "reload")
    )
    await olivia.sees("demo tier 0")
    await olivia.click("You")
    await olivia.sees("viewer@acme.example")
    olivia.hasNoFaults()
  })

  test("says why somebody without access has none", async () => {
    const otto = await Person.at(await browser(), await demo(), "operator")
    await otto.open("/")
    await otto.signIn("engineer")
    await otto.sees("This account has no access here")
    otto.hasNoFaults()
  })
})
