import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"
import { reachingHere, receiverOf } from "./harness/Receiver.ts"

inBrowser("integrations at the console", (browser) => {
  const receiver = receiverOf()
  const demo = demoOf(async () => reachingHere)

  test("events go to an address with headers, which is never shown whole again, until it is deleted by name", async () => {
    const { received, url } = await receiver()
    const olivia = await Person.as("owner", await browser(), await demo(), "/integrations")
    await olivia.sees("No integrations yet")
    await olivia.click("Create an integration")
    await olivia.choice("E-mail")
    await olivia.fill("Addresses", "a@b.example")
    await olivia.choice("Generic")
    await olivia.fill("Name", "On duty")
    await olivia.fill("Address", `${url}/secret-path`)
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("The integration is there.")
    await olivia.seesNot("secret-path")
    await olivia.click("Send a ping")
    await olivia.sees("The ping arrived in")
    assert.isNotEmpty(received)
    await olivia.isAccessible()

    await olivia.click("Edit")
    await olivia.fill("Name", "On call")
    await olivia.submit()
    await olivia.sees("The integration is changed.")
    await olivia.click("Change the address")
    await olivia.fill("Address", `${url}/next-path`)
    await olivia.submit()
    await olivia.sees("The address or headers are changed.")
    await olivia.sees("Previous address and headers until")
    await olivia.click("Send a ping")
    await olivia.sees("The ping arrived in")

    await olivia.click("Delete")
    await olivia.fill("Type", "On call")
    await olivia.submit()
    await olivia.sees("No integrations yet")
    olivia.hasNoFaults()
  })
})
