import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"

inBrowser("any operation from the console", (browser) => {
  const demo = demoOf()

  test("is found in the list, filled in, sent, and its secret is shown once", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/operations?q=mint")
    await olivia.follow("credentials.mint")
    await olivia.sees("POST /v1/credentials")
    await olivia.fill("label", "from the form")
    await olivia.select("kind", "api-key")
    await olivia.select("tier", "1")
    await olivia.click("Add networks")
    await olivia.fill("networks 1", "127.0.0.0/8")
    await olivia.page.waitForFunction(() => location.search.includes("127.0.0.0"))
    await olivia.isAccessible()
    await olivia.click("Copy as")
    await olivia.sees('"label":"from the form"')
    await olivia.press("Escape")
    await olivia.seesNot('"label":"from the form"')
    const link = olivia.where()
    await olivia.click("Send")
    await olivia.sees("This is shown once")
    const minted: unknown = JSON.parse(await olivia.read("Answer"))
    assert.nestedPropertyVal(minted, "networks[0]", "127.0.0.0/8")
    await olivia.click("I have saved it")
    assert.notInclude(await olivia.page.content(), "client_secret")
    const other = await olivia.anotherWindow(link)
    await other.sees("networks 1")
    assert.include(await other.page.$$eval("input", (_) => _.map(({ value }) => value)), "from the form")
    olivia.hasNoFaults()
  })

  test("says next to the field what is wrong, and asks before what cannot be undone", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/operations/credentials.mint")
    await olivia.fill("expires_in_days", "4000")
    await olivia.click("Send")
    await olivia.page.waitForSelector('input[aria-invalid="true"], select[aria-invalid="true"]')
    await olivia.open('/operations/credentials.revoke?with={"credential_id":"cred-none"}')
    await olivia.click("Send")
    await olivia.fill("Type", "cred-none")
    await olivia.submit()
    await olivia.sees("404")
    olivia.hasNoFaults()
  })

  test("shows pages one after the other, a stream as it comes, and what a service answers", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), '/operations/audit.list?with={"limit":1}')
    await olivia.click("Send")
    await olivia.click("Show more")
    await olivia.sees("Answer 2")
    await olivia.open("/operations/events.tail")
    await olivia.click("Send")
    await olivia.sees("The stream is open.")
    await olivia.click("Stop")
    await olivia.sees("The stream is over.")
    await olivia.open("/operations/iaas.get")
    await olivia.fill("path", "compute/servers?limit=1")
    await olivia.click("Send")
    await olivia.sees('"servers"')
    olivia.hasNoFaults()
  })

  test("has those of the operators on their plane", async () => {
    const otto = await Person.as("operator", await browser(), await demo(), "/operations/monitoring.capacity")
    await otto.click("Send")
    await otto.sees("200")
    otto.hasNoFaults()
  })
})
