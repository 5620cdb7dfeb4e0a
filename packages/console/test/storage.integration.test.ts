import { assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"

inBrowser("volumes in the console", (browser) => {
  const demo = demoOf()

  test("are made, extended, attached, kept in a snapshot, detached and deleted with what was made of them", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/storage/volumes?dialog=create")
    await olivia.fill("Name", "data")
    await olivia.submit()
    await olivia.sees("available")
    await olivia.follow("data")
    await olivia.click("Extend")
    await olivia.fill("New size", "5")
    await olivia.submit()
    await olivia.sees("must be greater than current size")
    await olivia.fill("New size", "15")
    await olivia.submit()
    await olivia.sees("15 GiB")
    await olivia.sees("available")

    await olivia.click("Attach")
    await olivia.page.waitForSelector('[role="dialog"] option')
    await olivia.submit()
    await olivia.sees("/dev/vdb")
    await olivia.sees("in-use")
    await olivia.click("Take a snapshot")
    await olivia.fill("Name of the snapshot", "friday")
    await olivia.submit()
    await olivia.sees("friday")
    await olivia.isAccessible()

    await olivia.click("Detach")
    await olivia.submit()
    await olivia.sees("not attached")
    await olivia.click("Delete")
    await olivia.fill("Type", "data")
    await olivia.submit()
    await olivia.sees("have snapshots")
    olivia.hasNoFaults()
  })

  test("have invisible characters of their names shown as escapes", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/storage/volumes?dialog=create")
    await olivia.fill("Name", "web\u202e1\u200b")
    await olivia.submit()
    await olivia.sees("available")
    await olivia.sees("web\\u{202e}1\\u{200b}")
    const shown = await olivia.page.evaluate(() => `${document.title} ${document.body.innerText}`)
    assert.notMatch(shown, /[\u202e\u200b]/)
    olivia.hasNoFaults()
  })

  test("an image of the platform is shown, and is not the tenant's to delete", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/storage/images?visibility=public")
    await olivia.follow("debian-13")
    await olivia.sees("It belongs to the platform or to another project.")
    await olivia.seesNot("Delete")
    olivia.hasNoFaults()
  })

  test("lists are ordered by their server, and the order is in the address", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/network/networks")
    await olivia.sees("public")
    const first = (name: string) =>
      olivia.page.waitForFunction((name) => document.querySelector("main tbody a")?.textContent === name, {}, name)
    await olivia.click("Name")
    await first("acme-net")
    const asked = olivia.page.waitForRequest((_) => _.url().includes("sort_key=name&sort_dir=desc"))
    await olivia.click("Name")
    await asked
    await first("public")
    await olivia.isAt("/network/networks?sort=-name")
    await olivia.page.reload()
    await first("public")
    await olivia.isAccessible()
    olivia.hasNoFaults()
  })
})
