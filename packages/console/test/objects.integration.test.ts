import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { Person } from "./harness/Person.ts"

inBrowser("buckets and objects at the console", (browser) => {
  const demo = demoOf()
  const disk = mkdtempSync(join(tmpdir(), "portico-files-"))
  afterAll(() => rmSync(disk, { recursive: true, force: true }))

  /** A file on the person's disk. */
  const file = (name: string, content: string): string => {
    const path = join(disk, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    return path
  }

  test("a bucket takes files from the browser, keeps versions and gives them back", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/object-storage/buckets")
    await olivia.click("Create a bucket")
    await olivia.fill("Name", "acme-media")
    await olivia.isAccessible()
    await olivia.submit()
    await olivia.follow("acme-media")
    await olivia.click("Allow uploads from this console")
    await olivia.sees("Drop files here, or choose them.")

    await olivia.follow("Settings")
    await olivia.click("Keep old versions")
    await olivia.sees("A write keeps the old content as a version")
    await olivia.follow("Objects")

    await olivia.uploads("Upload files", file("plan.txt", "the first plan"), file("notes.txt", "notes"))
    await olivia.sees("14 B / 14 B")
    await olivia.uploads("Upload files", file("later/plan.txt", "the second plan"))
    await olivia.sees("There is an object with this key already.")
    await olivia.click("Replace it")
    await olivia.sees("15 B / 15 B")
    await olivia.seesNot("There is an object with this key already.")
    await olivia.isAccessible()

    await olivia.choose("Actions: plan.txt", "Versions of this object")
    await olivia.sees("newest")
    await olivia.sees("14 B")
    await olivia.sees("15 B")

    await olivia.page.goBack()
    await olivia.choose("Actions: notes.txt", "Delete")
    await olivia.fill("Type", "notes.txt")
    await olivia.submit()
    await olivia.sees("The object is deleted.")
    await olivia.open("/object-storage/buckets/acme-media/versions?key=notes")
    await olivia.sees("delete marker")
    await olivia.isAccessible()
    olivia.hasNoFaults()
  })

  test("an object is opened as it was, and a link to it is made", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/object-storage/buckets/acme-media")
    const opened = (await browser()).waitForTarget((_) => _.url().includes("plan.txt"))
    await olivia.click("Download: plan.txt")
    const page = await (await opened).page()
    assert.strictEqual(await page?.$eval("body", (_) => _.innerText), "the second plan")
    await olivia.page.bringToFront()
    await olivia.choose("Actions: plan.txt", "Share a link")
    await olivia.click("Make the link")
    await olivia.sees("Ends")
    olivia.hasNoFaults()
  })

  test("a bucket that holds something is not deleted, and says so where it was asked", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/object-storage/buckets")
    await olivia.choose("Actions: acme-media", "Delete")
    await olivia.fill("Type", "acme-media")
    await olivia.submit()
    await olivia.sees("bucket_not_empty")
    await olivia.isAccessible()
    olivia.hasNoFaults()
  })
})
