import { test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person, sizes } from "./harness/Person.ts"

inBrowser("money in the console", (browser) => {
  const demo = demoOf()

  test("is seen by the owner as costs, as an invoice with its lines, and in a budget that is made and removed", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/costs")
    await olivia.sees("Costs of this month")
    await olivia.select("By", "line")
    await olivia.sees("Invoice line")
    await olivia.isAt(/by=line/)
    await olivia.isAccessible()

    await olivia.follow("Budgets")
    await olivia.sees("No budgets yet")
    await olivia.click("Create a budget")
    await olivia.fill("Amount", "a lot")
    await olivia.sees("An amount in euros, such as 250 or 99.50.")
    await olivia.fill("Amount", "99.50")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("The budget is created.")
    await olivia.sees("of €99.50")
    await olivia.choose("Actions: €99.50", "Delete")
    await olivia.sees("Delete the budget of €99.50")
    await olivia.submit()
    await olivia.sees("No budgets yet")

    await olivia.follow("Invoices")
    await olivia.clickOn("main tbody a")
    await olivia.sees("Unit price")
    await olivia.isAccessible()
    await olivia.page.setViewport(sizes.phone)
    await olivia.fits()
    olivia.hasNoFaults()
  })

  test("is hidden from an engineer, who sees how to get access, until the owner grants it", async () => {
    const emil = await Person.as("engineer", await browser(), await demo(), "/costs/budgets")
    await emil.sees("Ask the account's owner for billing access")
    await emil.seesNot("Create a budget")

    const olivia = await Person.as("owner", await browser(), await demo(), "/people")
    await olivia.choose("Actions: Emil Engineer", "Show costs")
    await olivia.sees("Emil Engineer will see what the account costs")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("Access to costs is changed.")

    await emil.page.bringToFront()
    await emil.page.waitForFunction(
      () => {
        const again = [...document.querySelectorAll("main button")].find((_) => _.textContent === "Try again")
        if (again instanceof HTMLElement) again.click()
        return again === undefined
      },
      { polling: 3000 }
    )
    await emil.sees("No budgets yet")

    // What was read before does not stay when the access is taken away.
    await olivia.choose("Actions: Emil Engineer", "Hide costs")
    await olivia.sees("Emil Engineer will no longer see")
    await olivia.submit()
    await olivia.sees("Access to costs is changed.")
    await emil.page.bringToFront()
    await emil.page.waitForFunction(
      () => {
        const isThere = location.pathname.endsWith("/budgets")
        if (isThere && document.body.innerText.includes("billing access")) return true
        const there = isThere ? "Costs" : "Budgets"
        const link = [...document.querySelectorAll("nav a")].find((_) => _.textContent === there)
        if (link instanceof HTMLElement) link.click()
        return false
      },
      { polling: 3000 }
    )
    await emil.sees("Ask the account's owner for billing access")
    await emil.seesNot("No budgets yet")
    olivia.hasNoFaults()
    emil.hasNoFaults()
  })
})
