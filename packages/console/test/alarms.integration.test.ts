import { test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"

inBrowser("alarms at the console", (browser) => {
  const demo = demoOf()

  test("an alarm is made with its threshold on the curve, changed, and deleted by its name", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/alarms")
    await olivia.sees("No alarm yet")
    await olivia.click("Create an alarm")
    await olivia.fill("Name", "Busy")
    await olivia.selectText("Watches", "demo")
    await olivia.fill("Threshold", "0.5")
    await olivia.fill("Period (seconds)", "7")
    await olivia.page.waitForSelector("[role=dialog] [role=img]")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.page.waitForSelector('[role="dialog"] input[aria-invalid="true"]')
    await olivia.fill("Period (seconds)", "60")
    await olivia.submit()
    await olivia.sees("The alarm is there.")
    await olivia.follow("Busy")
    await olivia.sees("Processors")
    await olivia.page.waitForSelector("main [role=img]")
    await olivia.isAccessible()
    await olivia.click("Change")
    await olivia.fill("Threshold", "90")
    await olivia.submit()
    await olivia.sees("The alarm is changed.")
    await olivia.sees("90 %")
    await olivia.click("Delete")
    await olivia.fill("Type", "Busy")
    await olivia.submit()
    await olivia.sees("No alarm yet")
    olivia.hasNoFaults()
  })
})
