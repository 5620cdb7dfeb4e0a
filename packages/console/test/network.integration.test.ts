import { test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person, sizes } from "./harness/Person.ts"

inBrowser("the network in the console", (browser) => {
  const demo = demoOf()

  test("a rule that opens SSH to the world is refused with the reason, until it is confirmed", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/network/security-groups?dialog=create")
    await olivia.fill("Name", "bastion")
    await olivia.submit()
    await olivia.sees("Nothing comes in.")
    await olivia.click("Add a rule")
    await olivia.fill("Ports", "22")
    await olivia.submit()
    await olivia.sees("world_open_ssh")
    await olivia.sees("Name a narrower prefix or a remote group")
    await olivia.isAccessible()
    await olivia.tick("Let every address of the internet reach SSH nonetheless")
    await olivia.submit()
    await olivia.sees("The rule is added.")
    await olivia.seesNot("Nothing comes in.")
    olivia.hasNoFaults()
  })

  test("a network, subnet and router port are made in one form; a bad range shows its error", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/network/networks?dialog=create")
    await olivia.sees("Connect the subnet to your router")
    await olivia.fill("Name", "backend")
    await olivia.fill("Addresses", "not a range")
    await olivia.submit()
    await olivia.sees("not a range")
    await olivia.page.waitForSelector('[role="dialog"] [role="alert"]')
    await olivia.fill("Addresses", "10.77.0.0/24")
    await olivia.submit()
    await olivia.sees("10.77.0.1")
    await olivia.seesNot("not connected")
    await olivia.open("/network/networks?name=backend")
    await olivia.sees("1 row")
    await olivia.isAccessible()
    await olivia.page.setViewport(sizes.phone)
    await olivia.fits()
    olivia.hasNoFaults()
  })

  test("a floating IP is allocated, associated with a server, and released by its address", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/network/floating-ips?dialog=allocate")
    await olivia.page.waitForSelector('[role="dialog"] option')
    await olivia.submit()
    await olivia.sees("nowhere")
    const address = (await olivia.page.$eval("tbody td", (_) => _.textContent)) ?? ""
    await olivia.choose(`Actions: ${address}`, "Associate")
    await olivia.page.waitForSelector('[role="dialog"] option')
    await olivia.submit()
    await olivia.sees("demo")
    await olivia.choose(`Actions: ${address}`, "Release")
    await olivia.fill("Type", address)
    await olivia.submit()
    await olivia.sees("No floating IPs yet")
    olivia.hasNoFaults()
  })

  test("the NAT gateway is turned off, and on again at the same address", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/network/nat-gateways")
    await olivia.sees("Address that the internet sees")
    const address = (await olivia.page.$eval("section h2", (_) => _.textContent)) ?? ""
    await olivia.click("Turn off")
    await olivia.fill("Type", address)
    await olivia.submit()
    await olivia.sees("No NAT gateway")
    await olivia.click("Turn on the NAT gateway")
    await olivia.sees(address)
    olivia.hasNoFaults()
  })
})
