import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person, sizes } from "./harness/Person.ts"

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl olivia@laptop"

inBrowser("servers in the console", (browser) => {
  const demo = demoOf()

  test("are made in one form, followed until they are up, stopped, and deleted by name", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/compute/servers?dialog=create")
    await olivia.fill("Name", "web <b>1</b>")
    await olivia.select("Key pair", " import")
    await olivia.fill("Name of the key pair", "laptop")
    await olivia.fill("Public key", publicKey)
    await olivia.tick("Give it a floating IP")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.sees("BUILD")
    await olivia.sees("ACTIVE")
    await olivia.sees("floating")
    await olivia.sees("laptop")
    await olivia.isAt(/^\/compute\/servers\/[0-9a-f-]{36}$/)
    await olivia.isAccessible()

    await olivia.follow("Boot log")
    await olivia.sees("Hostname set to <web <b>1</b>>")
    await olivia.page.goBack()
    await olivia.click("Stop")
    await olivia.submit()
    await olivia.sees("SHUTOFF")

    await olivia.click("Delete")
    await olivia.fill("Type", "web <b>1</b>")
    await olivia.submit()
    await olivia.sees("The server is being deleted.")
    await olivia.seesNot("web <b>1</b>")
    olivia.hasNoFaults()
  })

  test("show what compute refuses, and what was typed stays", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/compute/servers?dialog=create")
    await olivia.page.waitForSelector('[role="dialog"] option')
    await olivia.fill("User data", "#!/bin/sh\n")
    await olivia.submit()
    await olivia.sees("'' is too short")
    const typed = await olivia.page.$$eval("[role=dialog] textarea", (all) => all.map((_) => _.value))
    assert.deepStrictEqual(typed, ["#!/bin/sh\n"])
    olivia.hasNoFaults()
  })

  test("are found by a part of the name and by their state, as links", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/compute/servers?name=dem&status=ACTIVE")
    await olivia.sees("demo")
    await olivia.fill("Part of the name", "nothing-like-it")
    await olivia.sees("No server fits the filter.")
    await olivia.isAt(/name=nothing-like-it/)
    await olivia.page.setViewport(sizes.phone)
    await olivia.fits()
    olivia.hasNoFaults()
  })

  test("are only looked at by a viewer", async () => {
    const vera = await Person.as("viewer", await browser(), await demo(), "/compute/servers")
    await vera.sees("demo")
    await vera.seesNot("Create a server")
    await vera.follow("demo")
    await vera.sees("Your tier lets you read only.")
    await vera.follow("Boot log")
    await vera.sees("The log needs tier 1")
    vera.hasNoFaults()
  })
})
