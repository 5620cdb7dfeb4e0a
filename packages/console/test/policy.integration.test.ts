import { test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person, sizes } from "./harness/Person.ts"

inBrowser("access policy in the console", (browser) => {
  const demo = demoOf()

  test("limits a unit, explains a denial, and is removed again", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/policy")
    await olivia.sees("Whole account")
    await olivia.click("Create a unit")
    await olivia.fill("Path", "Engineering!")
    await olivia.submit()
    await olivia.page.waitForSelector('[role="dialog"] input[aria-invalid="true"]')
    await olivia.fill("Path", "engineering")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("The unit is created.")

    await olivia.choose("Actions: engineering", "Edit the policy")
    await olivia.select("Highest tier", "0")
    await olivia.select("databases", "read")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("at most tier 0")

    await olivia.click("Put somebody into a unit")
    const emil = await olivia.page.waitForFunction(
      () =>
        [...document.querySelectorAll("[role=dialog] option")]
          .find((_) => _.textContent?.includes("engineer@acme"))
          ?.getAttribute("value") ?? undefined
    )
    await olivia.select("Who", String(await emil.jsonValue()))
    await olivia.select("Unit", "engineering")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("Placed. The unit's policies apply from the next call on.")

    const engineer = await Person.as("engineer", await browser(), await demo(), "/databases")
    await engineer.sees("policy_denied")
    await engineer.follow("Why may I not?")
    await engineer.sees("denied by engineering")
    await engineer.sees("tier is 0")
    await engineer.tick("Show only what is denied")
    await engineer.seesNot("compute")
    await engineer.isAt(/denied=yes/)
    await engineer.isAccessible()
    await engineer.page.setViewport(sizes.phone)
    await engineer.fits()
    engineer.hasNoFaults()

    await olivia.choose("Actions: engineering", "Remove the unit")
    await olivia.submit()
    await olivia.sees("409")
    await olivia.press("Escape")
    await olivia.choose("Actions: engineering", "Remove the policy")
    await olivia.submit()
    await olivia.sees("The policy is removed.")
    await engineer.open("/databases")
    await engineer.sees("No databases yet")

    await olivia.click("Put somebody into a unit")
    await olivia.select("Who", String(await emil.jsonValue()))
    await olivia.click("Take out of the unit")
    await olivia.sees("Taken out: only the account's own policy applies.")
    await olivia.choose("Actions: engineering", "Remove the unit")
    await olivia.submit()
    await olivia.sees("The unit is removed.")
    await olivia.page.waitForFunction(() => !document.querySelector("main")?.innerText.includes("engineering"))
    olivia.hasNoFaults()
  })
})
