import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"

inBrowser("credentials in the console", (browser) => {
  const demo = demoOf()

  test("are minted with their secrets shown once, work, and are revoked by name", async () => {
    const { dev } = await demo()
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    await olivia.click("Mint a credential")
    await olivia.fill("Label", "nightly <script>alert(1)</script>")
    await olivia.select("Tier", "1")
    await olivia.isAccessible()
    await olivia.page.locator('[role="dialog"] button[type="submit"]').click()
    await olivia.sees("This is shown once")
    const token = await olivia.read("Personal access token")
    const whoami = await fetch(`${dev.customer_url}/v1/whoami`, { headers: { authorization: `Bearer ${token}` } })
    assert.strictEqual(whoami.status, 200)
    await olivia.press("Escape")
    await olivia.sees("This is shown once")
    await olivia.click("I have saved it")
    await olivia.sees("nightly <script>alert(1)</script>")
    assert.notInclude(await olivia.page.content(), token)

    await olivia.choose("Actions: nightly <script>alert(1)</script>", "Revoke")
    await olivia.sees("It cannot be undone")
    await olivia.fill("Type", "nightly <script>alert(1)</script>")
    await olivia.click("Revoke")
    await olivia.sees("The credential is revoked.")
    const refused = await fetch(`${dev.customer_url}/v1/whoami`, { headers: { authorization: `Bearer ${token}` } })
    assert.strictEqual(refused.status, 401)
    olivia.hasNoFaults()
  })

  test("say next to the field what is wrong with it", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials?dialog=mint")
    await olivia.fill("Label", "ci")
    await olivia.fill("Ends after", "4000")
    await olivia.page.locator('[role="dialog"] button[type="submit"]').click()
    await olivia.page.waitForSelector('input[aria-invalid="true"]')
    olivia.hasNoFaults()
  })
})
