import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person, sizes } from "./harness/Person.ts"

inBrowser("people in the console", (browser) => {
  const demo = demoOf()

  test("are invited, get another role, and are removed by their address, with what is kept", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/people")
    await olivia.sees("Vera Viewer")
    await olivia.click("Invite a person")
    await olivia.fill("E-mail address", "not an address")
    await olivia.submit()
    await olivia.page.waitForSelector('[role="dialog"] input[type="email"][aria-invalid="true"]')
    await olivia.fill("E-mail address", "nora@acme.example")
    await olivia.fill("Name", "Nora <b>New</b>")
    await olivia.tick("customer-engineer")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("The invitation is sent.")
    await olivia.sees("nora@acme.example")
    await olivia.sees("invited")

    await olivia.choose("Actions: Nora <b>New</b>", "Change the role")
    await olivia.tick("customer-viewer")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("The role is changed.")

    await olivia.choose("Actions: Nora <b>New</b>", "Remove")
    await olivia.sees("No credential was made by this person directly.")
    await olivia.fill("Type", "nora@acme.example")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("The person is removed")
    await olivia.sees("0 credentials were revoked.")
    await olivia.click("Done")
    await olivia.seesNot("nora@acme.example")
    await olivia.page.setViewport(sizes.phone)
    await olivia.fits()
    olivia.hasNoFaults()
  })

  test("leave their webhooks behind, which are named, and their credentials end", async () => {
    const emil = await Person.as("engineer", await browser(), await demo(), "/credentials?dialog=mint")
    await emil.fill("Label", "of emil")
    await emil.submit()
    await emil.click("I have saved it")
    await emil.sees("of emil")
    await emil.open("/webhooks?dialog=create")
    await emil.fill("Address", "https://hooks.acme.example/emil")
    await emil.submit()
    await emil.click("I have saved it")

    const olivia = await Person.as("owner", await browser(), await demo(), "/people")
    await olivia.choose("Actions: Emil Engineer", "Remove")
    await olivia.sees("1 credential was made by this person directly.")
    await olivia.fill("Type", "engineer@acme.example")
    await olivia.submit()
    await olivia.sees("1 credential was revoked.")
    await olivia.sees("The person has seen their secrets")
    await olivia.clickOn('[role="dialog"] a[href*="/webhooks/"]')
    await olivia.sees("https://hooks.acme.example/emil")
    await olivia.isAt(/^\/webhooks\//)
    olivia.hasNoFaults()

    // In the window that was open all the time.
    await emil.follow("Credentials")
    await emil.sees("No tenant assigned for user 'engineer@acme.example'")
    await emil.seesNot("demo tier 0")
    await emil.page.reload()
    // Without access, or without a session: the provider is asked for the token again after a minute at the latest.
    await emil.sees("Sign in")
    await emil.seesNot("Webhooks")
    emil.hasNoFaults()
  })

  test("are listed for owners: a viewer finds no such page", async () => {
    const vera = await Person.as("viewer", await browser(), await demo(), "/people?dialog=invite")
    await vera.sees("the page belongs to another role")
    assert.deepStrictEqual(await vera.page.$$('nav a[href$="/people"]'), [])
    vera.hasNoFaults()
  })
})
