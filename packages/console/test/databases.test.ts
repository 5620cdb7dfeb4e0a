import { test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"

inBrowser("databases in the console", (browser) => {
  const demo = demoOf()

  test("are created with the arithmetic before, come up, show how to connect, and are deleted by name", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/databases")
    await olivia.sees("No databases yet")
    await olivia.open("/databases?dialog=create")
    await olivia.fill("Name", "orders")
    await olivia.fill("GiB each", "251")
    await olivia.sees("It does not fit")
    await olivia.fill("GiB each", "10")
    await olivia.sees("0 + 10 = 10 of 400 GiB")
    await olivia.isAccessible()
    await olivia.press("Enter")
    await olivia.sees("ready")
    await olivia.click("Show")
    await olivia.sees("Connection URI")
    await olivia.click("Hide")
    await olivia.seesNot("Connection URI")
    await olivia.isAccessible()
    await olivia.click("Delete")
    await olivia.fill("Type orders to confirm", "orders")
    await olivia.click("Delete the database")
    await olivia.sees("No databases yet")
    olivia.hasNoFaults()
  })
})
