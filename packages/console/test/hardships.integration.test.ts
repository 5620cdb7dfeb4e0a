import { assert, test } from "vitest"
import type { Page } from "puppeteer-core"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { apiOf } from "./harness/Tenant.ts"
import { Person, sizes } from "./harness/Person.ts"

/** Names as somebody chooses them who wants to break the page, as far as labels may have them. */
const hostile = [
  "<script>window.hacked = true</script>",
  '"><img src=x onerror="window.hacked = true">',
  "\u0645\u0631\u062D\u0628\u0627 \u05E9\u05DC\u05D5\u05DD (1) right to left",
  "W".repeat(100),
  "👩‍👩‍👧‍👦🏴‍☠️ {{constructor}} ${window.hacked}"
]

const isHacked = (page: Page): Promise<boolean> => page.evaluate(() => "hacked" in window)

/** Mints by the API; the answer has the id of the credential. */
const minted = async (url: string, token: string, label: string): Promise<string> => {
  const answer = await fetch(`${url}/v1/credentials`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ kind: "api-key", tier: 0, label })
  })
  assert.strictEqual(answer.status, 201, await answer.clone().text())
  const { credential_id: id }: { readonly credential_id: string } = JSON.parse(await answer.text())
  return id
}

inBrowser("the console in hardship", (browser) => {
  const demo = demoOf()

  test("shows a stopped gateway, and recovers with the typed text when it starts again", async () => {
    const place = await demo()
    const olivia = await Person.as("owner", await browser(), place, "/credentials")
    await olivia.sees("demo tier 0")
    await olivia.click("Mint a credential")
    await olivia.fill("Label", "typed before the fall")
    await place.kill()
    await olivia.sees("No connection to the gateway")
    await place.startAgain()
    await olivia.seesNot("No connection to the gateway")
    const typed = await olivia.page.$$eval("[role=dialog] input", (_) => _.map(({ value }) => value))
    assert.include(typed, "typed before the fall")
    await olivia.submit()
    await olivia.sees("This is shown once")
    await olivia.click("I have saved it")
    await olivia.sees("typed before the fall")
    await olivia.isAt("/credentials")
  })

  test("shows that the network is offline, and when it is online again", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    await olivia.sees("demo tier 0")
    await olivia.page.setOfflineMode(true)
    await olivia.sees("No connection to the gateway")
    await olivia.sees("demo tier 0")
    await olivia.page.setOfflineMode(false)
    await olivia.seesNot("No connection to the gateway")
  })

  test("shows at once what was done in another window", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    await olivia.sees("demo tier 0")
    const second = await olivia.anotherWindow("/credentials")
    await second.click("Mint a credential")
    await second.fill("Label", "of another window")
    await second.submit()
    await second.click("I have saved it")
    await second.sees("of another window")
    await olivia.page.bringToFront()
    await olivia.sees("of another window")
    await second.choose("Actions: of another window", "Revoke")
    await second.fill("Type", "of another window")
    await second.click("Revoke")
    await second.sees("The credential is revoked.")
    await olivia.page.bringToFront()
    await olivia.seesNot("of another window")
    olivia.hasNoFaults()
  })

  test("shows hostile names as they are, on a telephone too", async () => {
    const { dev } = await demo()
    const ids: Array<string> = []
    for (const label of hostile) ids.push(await minted(dev.customer_url, dev.tenants[0]?.tokens.tier2 ?? "", label))
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    for (const label of hostile) await olivia.sees(label)
    for (const size of [sizes.desk, sizes.phone]) {
      await olivia.page.setViewport(size)
      await olivia.fits()
    }
    for (const [index, id] of ids.entries()) {
      await olivia.open(`/credentials?dialog=revoke&of=${id}`)
      await olivia.sees(`Revoke ${hostile[index]}`)
      await olivia.fits()
      await olivia.isAccessible()
    }
    assert.isFalse(await isHacked(olivia.page))
    olivia.hasNoFaults()
  })

  test("shows hostile text of tenants as text, on every page that has it", async () => {
    const place = await demo()
    const portico = apiOf(place)
    const [, script = ""] = hostile
    const { zone_id } = await portico.dns.createZone({ name: "hostile.example.", email: "a@hostile.example" })
    await portico.dns.createRecordset({ zone_id, name: "t", type: "TXT", records: [script], description: script })
    await portico.objectStorage.createBucket({ name: "hostile" })
    const { headers, url } = await portico.objectStorage.presignUpload({
      name: "hostile",
      key: `${script}.txt`,
      content_length: 1
    })
    await fetch(url, { method: "PUT", body: "x", headers })
    const { webhook_id } = await portico.webhooks.create({
      url: "https://hooks.hostile.example/",
      description: script,
      topics: ["alarms"]
    })
    const json = { "content-type": "application/json" }
    for (const [path, body] of [
      ["volume/volumes", { volume: { name: script, size: 1 } }],
      ["network/networks", { network: { name: script } }]
    ] as const)
      await portico.iaas.post(path, { headers: json, body: JSON.stringify(body) })
    const olivia = await Person.as("owner", await browser(), place, "/")
    for (const path of [
      "/",
      `/dns/zones/${zone_id}`,
      "/object-storage/buckets/hostile",
      "/webhooks",
      `/webhooks/${webhook_id}`,
      "/storage/volumes",
      "/network/networks",
      "/audit"
    ]) {
      await olivia.open(path)
      if (path !== "/" && path !== "/audit") await olivia.sees(script)
      await olivia.page.waitForSelector("main h1")
      await olivia.page.setViewport(sizes.phone)
      await olivia.fits()
      await olivia.page.setViewport(sizes.desk)
      assert.isFalse(await isHacked(olivia.page), path)
    }
    olivia.hasNoFaults()
  })

  test("runs no script that is not its own, and stands in no frame", async () => {
    const place = await demo()
    const olivia = await Person.as("owner", await browser(), place, "/credentials")
    await olivia.sees("demo tier 0")
    await olivia.page.evaluate(() => {
      const script = document.createElement("script")
      script.textContent = "window.hacked = true"
      document.body.append(script)
    })
    assert.isFalse(await isHacked(olivia.page))
    assert.match(olivia.faults.join(), /Content Security Policy/)
    const stranger = await olivia.page.browserContext().newPage()
    await stranger.setContent(`<iframe src="${place.console()}/"></iframe>`)
    await stranger.waitForFrame((_) => _.parentFrame() !== null && _.url().startsWith("chrome-error:"))
  })

  test("goes back and forth through dialogs", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/operations?q=mint")
    await olivia.follow("Credentials")
    await olivia.click("Mint a credential")
    await olivia.page.waitForSelector("[role=dialog]")
    await olivia.page.goBack()
    await olivia.page.waitForSelector("[role=dialog]", { hidden: true })
    await olivia.page.goForward()
    await olivia.page.waitForSelector("[role=dialog]")
    await olivia.page.goBack()
    await olivia.page.goBack()
    await olivia.page.waitForFunction(() => location.search === "?q=mint")
    olivia.hasNoFaults()
  })

  test("needs no mouse: a credential is found, minted, saved and revoked by keys", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/operations")
    await olivia.sees("credentials.mint")
    /** Moves on until the control with the name has the focus. */
    const tabTo = async (name: string) => {
      for (let stop = 0; stop < 200; stop += 1) {
        await olivia.press("Tab")
        const here = await olivia.page.evaluate(() => {
          const element = document.activeElement
          return element?.getAttribute("aria-label") ?? element?.textContent?.trim()
        })
        if (here === name) return
      }
      assert.fail(`The keyboard does not reach ${name}`)
    }
    /** Moves down in a menu, which draws before it takes keys. */
    const arrowTo = async (name: string) => {
      await olivia.page.waitForSelector("[role=menuitem]:focus")
      for (let i = 0; i < 20; i++) {
        if ((await olivia.page.evaluate(() => document.activeElement?.textContent)) === name) return
        await olivia.press("ArrowDown")
      }
      assert.fail(`The arrows do not reach ${name}`)
    }
    await olivia.press("/")
    await olivia.page.waitForSelector("[role=dialog] input:focus")
    await olivia.page.keyboard.type("mint a cred")
    await olivia.sees("Mint a credential")
    await olivia.press("Enter")
    await olivia.sees("A name for people")
    await olivia.page.waitForFunction(() => document.activeElement?.closest("[role=dialog]") !== null)
    await olivia.page.waitForFunction(() => location.search === "?dialog=mint")
    await olivia.fill("Label", "by keys")
    await olivia.press("Enter")
    await olivia.sees("This is shown once")
    await tabTo("I have saved it")
    await olivia.press("Enter")
    // Until the dialog is gone the keyboard stays in it.
    await olivia.page.waitForSelector("[role=dialog]", { hidden: true })
    await olivia.page.waitForSelector('[aria-label="Actions: by keys"]')
    await tabTo("Actions: by keys")
    await olivia.press("Enter")
    await arrowTo("Revoke")
    await olivia.press("Enter")
    await olivia.sees("It cannot be undone")
    await olivia.fill("Type", "by keys")
    await olivia.press("Enter")
    await olivia.sees("The credential is revoked.")
    olivia.hasNoFaults()
  })

  test("speaks German, also after a reload", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    await olivia.sees("demo tier 0")
    await olivia.choose("You", "Deutsch")
    await olivia.sees("Zugangsdaten ausstellen")
    assert.strictEqual(await olivia.page.evaluate(() => document.documentElement.lang), "de")
    const titles = await olivia.page.$$eval("time", (_) => _.map(({ title }) => title))
    assert.match(
      titles.join(),
      /\d{1,2}\. (Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember) \d{4}/
    )
    await olivia.page.reload()
    await olivia.sees("Zugangsdaten ausstellen")
    await olivia.sees("aktiv")
    assert.notInclude(await olivia.text(), "active")
    await olivia.isAccessible()
    olivia.hasNoFaults()
  })

  test("is readable in the dark", async () => {
    const olivia = await Person.as("owner", await browser(), await demo(), "/credentials")
    await olivia.sees("demo tier 0")
    await olivia.choose("You", "Dark")
    await olivia.page.waitForFunction(() => document.documentElement.style.colorScheme === "dark")
    const brightness = () =>
      olivia.page.evaluate(() => {
        const [red = 0, green = 0, blue = 0] = getComputedStyle(document.body).backgroundColor.match(/\d+/g) ?? []
        return Math.max(Number(red), Number(green), Number(blue))
      })
    assert.isBelow(await brightness(), 60, "what was chosen does not change the page")
    await olivia.isAccessible()
    await olivia.page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }])
    await olivia.choose("You", "Light")
    await olivia.page.waitForFunction(() => document.documentElement.style.colorScheme === "light")
    assert.isAbove(await brightness(), 200)
    await olivia.choose("You", "Dark")
    await olivia.page.waitForFunction(() => document.documentElement.style.colorScheme === "dark")
    await olivia.open("/operations/credentials.mint")
    await olivia.page.waitForSelector("form input")
    await olivia.isAccessible()
    olivia.hasNoFaults()
  })
})
