import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"
import { apiOf } from "./harness/Tenant.ts"

inBrowser("the edge at the console", (browser) => {
  const demo = demoOf()

  test("a service is exposed under a domain whose owner proves it, and taken back by its name", async () => {
    const place = await demo()
    const olivia = await Person.as("owner", await browser(), place, "/edge/exposures")
    await olivia.click("Create an exposure")
    await olivia.fill("Name", "shop")
    await olivia.fill("Service", "web")
    await olivia.fill("Domain", "shop.acme.example")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("Proof of ownership")
    await olivia.click("Verify")
    await olivia.sees("There is no TXT record at")
    const [exposure] = (await apiOf(place).edge.list({})).exposures
    const challenge = exposure?.domain?.challenge
    assert.isDefined(challenge)
    assert.include(await olivia.text(), challenge.value)
    await place.publishes({ name: challenge.name, type: "TXT", records: [`"${challenge.value}"`] })
    await olivia.click("Verify")
    await olivia.sees("The domain is verified.")
    await olivia.isAccessible()
    await olivia.click("Delete the exposure")
    await olivia.fill("Type", "shop")
    await olivia.submit()
    await olivia.sees("Nothing is exposed yet")
    olivia.hasNoFaults()
  })
})
