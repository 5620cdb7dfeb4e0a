import { test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"

inBrowser("autoscaling at the console", (browser) => {
  const demo = demoOf()

  test("a group is made, a policy changes its number, the curve shows it, and it is deleted by its name", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/autoscaling")
    await olivia.sees("No group yet")
    await olivia.click("Create a group")
    await olivia.fill("Name", "web")
    await olivia.fill("At least", "1")
    await olivia.fill("Wanted", "1")
    await olivia.fill("At most", "0")
    await olivia.fill("Cooldown (seconds)", "0")
    await olivia.selectText("Flavor", "m1.small")
    await olivia.selectText("Image", "debian")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("min, desired, max")
    await olivia.fill("At most", "3")
    await olivia.submit()
    await olivia.sees("Nothing changes the number by itself.")
    await olivia.click("Add a policy")
    await olivia.fill("Name", "up")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("The policies are changed.")
    await olivia.click("Trigger: up")
    await olivia.sees("Applied: 2 servers are wanted.")
    await olivia.page.waitForSelector('main [role=img][aria-label="2 servers are wanted now."]')
    await olivia.isAccessible()
    await olivia.click("Delete")
    await olivia.fill("Type", "web")
    await olivia.submit()
    await olivia.sees("No group yet")
    olivia.hasNoFaults()
  })
})
