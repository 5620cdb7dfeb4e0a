import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Browser, ElementHandle, HTTPRequest, Page } from "puppeteer-core"
import { assert } from "vitest"
import type { Demo } from "./Demo.ts"

/** Who can sign in to the demo. */
export const people = {
  owner: "owner@acme.example",
  engineer: "engineer@acme.example",
  viewer: "viewer@acme.example",
  operator: "operator@portico.example"
} as const
export type Role = keyof typeof people

export const sizes = { desk: { width: 1280, height: 900 }, phone: { width: 360, height: 740 } } as const

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** What a person waits for at most. A page that works is much faster. */
const patience = 300_000

/** A control as a screen reader names it. */
const named = (role: string, name: string): string =>
  `::-p-aria([name="${name.replaceAll('"', '\\"')}"][role="${role}"])`

/** A window behind another one draws nothing: it is looked at by the clock. */
const waiting = { timeout: patience, polling: 100 } as const

interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary?: string }>
}

/** Somebody in front of a browser of their own. */
export class Person {
  readonly page: Page
  readonly base: string
  /** What the browser complained about. */
  readonly faults: Array<string> = []
  /** What the page has asked for and not got yet. */
  readonly #asked = new Set<HTTPRequest>()

  private constructor(page: Page, base: string) {
    this.page = page
    this.base = base
    page.setDefaultTimeout(patience)
    page.on("pageerror", (error) =>
      this.faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
    )
    // A stream is open as long as the page.
    page.on("request", (_) => void (_.url().endsWith("/tail") || this.#asked.add(_)))
    // What an earlier document asked for ends with it, and is not always told as failed.
    page.on("response", (_) => {
      const isDocument = _.request().isNavigationRequest() && _.request().frame() === page.mainFrame()
      if (isDocument) for (const asked of this.#asked) if (asked !== _.request()) this.#asked.delete(asked)
    })
    page.on("requestfinished", (_) => void this.#asked.delete(_))
    page.on("requestfailed", (_) => void this.#asked.delete(_))
    page.on("console", (message) => {
      // Refusals are part of the stories; what a policy blocks, or what a script throws, is a fault.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
        this.faults.push(message.text())
    })
  }

  /** At the sign-in page of a plane. */
  static async at(browser: Browser, demo: Demo, plane: "customer" | "operator" = "customer"): Promise<Person> {
    const context = await browser.createBrowserContext()
    await context.overridePermissions(new URL(demo.console(plane)).origin, ["clipboard-read", "clipboard-write"])
    const page = await context.newPage()
    await page.setViewport(sizes.desk)
    await page.emulateTimezone("UTC")
    return new Person(page, demo.console(plane))
  }

  /** Signed in, at the page. */
  static async as(role: Role, browser: Browser, demo: Demo, path = "/"): Promise<Person> {
    const person = await Person.at(browser, demo, role === "operator" ? "operator" : "customer")
    await person.open(path)
    await person.signIn(role)
    return person
  }

  async signIn(role: Role): Promise<void> {
    await this.click("Sign in")
    await this.choosePerson(role)
  }

  /** At the identity provider's page. */
  async choosePerson(role: Role): Promise<void> {
    await this.clickOn(`button[value="${people[role]}"]`)
    await this.page.waitForFunction(
      (base) => location.href.startsWith(base) && document.querySelector("main") !== null,
      waiting,
      this.base
    )
  }

  /** Another window of the same person. */
  async anotherWindow(path = "/"): Promise<Person> {
    const page = await this.page.browserContext().newPage()
    await page.setViewport(sizes.desk)
    const other = new Person(page, this.base)
    await other.open(path)
    return other
  }

  async open(path: string): Promise<void> {
    await this.page.goto(`${this.base}${path}`, { waitUntil: "domcontentloaded" })
  }

  /** Below `/console`, with the query. */
  where(): string {
    return this.page.url().slice(this.base.length)
  }

  /** The page that something leads to may come after what is seen on the one before. */
  async isAt(expected: string | RegExp): Promise<void> {
    const [address, pattern] = typeof expected === "string" ? [expected, null] : [null, expected.source]
    await this.page
      .waitForFunction(
        (base, address, pattern) => {
          const where = location.href.slice(base.length)
          return pattern === null ? where === address : new RegExp(pattern).test(where)
        },
        waiting,
        this.base,
        address,
        pattern
      )
      .catch(() => assert.fail(`is at '${this.where()}' and not at '${expected}'`))
  }

  async click(name: string, role = "button"): Promise<void> {
    // A window behind another one draws nothing, and what is drawn nowhere cannot be pressed.
    await this.page.bringToFront()
    await this.clickOn(named(role, name))
  }

  /** Presses it. What appears above it moves it away from under the mouse: somebody presses once more. */
  async clickOn(selector: string): Promise<void> {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const target = await this.page.locator(selector).waitHandle()
      // A menu opens while the mouse is still down, and takes the rest of the press.
      const hit = await target.evaluateHandle((target) => {
        const hit = { there: false }
        const kind = target instanceof Element && target.hasAttribute("aria-haspopup") ? "pointerdown" : "click"
        target.addEventListener(kind, () => void (hit.there = true), { capture: true })
        return hit
      })
      await this.page.locator(selector).click()
      // What is gone by now was pressed: it led to another page, or was drawn anew for its own press.
      const [there, gone] = await Promise.all([
        hit.evaluate((_) => _.there).catch(() => true),
        target.evaluate((_) => _ instanceof Element && !_.isConnected).catch(() => true)
      ])
      if (there || gone) return
    }
    throw new Error(`${selector} moves away from under the mouse`)
  }

  async follow(name: string): Promise<void> {
    await this.click(name, "link")
  }

  /** Opens the menu of a row, or any other, and takes an entry. */
  async choose(menu: string, entry: string): Promise<void> {
    await this.click(menu)
    await this.click(entry, "menuitem")
  }

  /** A field by the text of its label, without what is said of it in small letters; in a dialog if there is one. */
  async #control(label: string): Promise<ElementHandle> {
    const found = await this.page.waitForFunction(
      (label) => {
        const dialogs = document.querySelectorAll("[role=dialog]")
        const within = dialogs.item(dialogs.length - 1) ?? document
        const textOf = (element: Element) => {
          const copy = element.cloneNode(true)
          if (copy instanceof Element) copy.querySelectorAll("small, p").forEach((_) => _.remove())
          return (copy.textContent ?? "").trim()
        }
        const labels = [...within.querySelectorAll("label")].filter((_) => _.checkVisibility())
        const fits = (_: HTMLLabelElement) => textOf(_) === label
        const begins = (_: HTMLLabelElement) => textOf(_).startsWith(label)
        return (labels.find(fits) ?? labels.find(begins))?.control
      },
      waiting,
      label
    )
    const element = found.asElement()
    if (element === null) throw new Error(`There is no field ${label}`)
    return element as ElementHandle
  }

  /** Replaces what is in a field. */
  async fill(label: string, text: string): Promise<void> {
    const control = await this.#control(label)
    await control.focus()
    await this.page.keyboard.down("Control")
    await this.page.keyboard.press("a")
    await this.page.keyboard.up("Control")
    await this.page.keyboard.press("Delete")
    if (text !== "") await control.type(text)
  }

  async select(label: string, value: string): Promise<void> {
    await (await this.#control(label)).select(value)
  }

  /** By the text of the choice. */
  async selectText(label: string, text: string): Promise<void> {
    const control = await this.#control(label)
    const value = await control.evaluate(
      (element, text) =>
        element instanceof HTMLSelectElement
          ? [...element.options].find((_) => _.text.includes(text))?.value
          : undefined,
      text
    )
    if (value === undefined) throw new Error(`${label} has no ${text}`)
    await control.select(value)
  }

  async tick(label: string): Promise<void> {
    await (await this.#control(label)).click()
  }

  /** One of several, by its name. */
  async choice(name: string): Promise<void> {
    await this.tick(name)
  }

  /** Files from the person's disk, at the field for them. */
  async uploads(label: string, ...paths: ReadonlyArray<string>): Promise<void> {
    const input = await this.page.waitForSelector(`input[type="file"][aria-label="${label}"]`)
    if (input === null) throw new Error(`There is no field ${label}`)
    await input.uploadFile(...paths)
  }

  /** The button that sends the form of the dialog, or of a form of the page by its name. */
  async submit(form?: string): Promise<void> {
    await this.page.bringToFront()
    const within = form === undefined ? '[role="dialog"]' : `form[aria-label="${form}"]`
    await this.clickOn(`${within} button[type="submit"]`)
  }

  async press(...keys: ReadonlyArray<Parameters<Page["keyboard"]["press"]>[0]>): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key)
  }

  text(): Promise<string> {
    return this.page.$eval("body", (_) => _.innerText)
  }

  async #until(text: string, there: boolean): Promise<void> {
    await this.page
      .waitForFunction((text, there) => document.body.innerText.includes(text) === there, waiting, text, there)
      .catch(async () => {
        const shown = await this.text()
        assert.fail(`${there ? "does not see" : "still sees"} '${text}' at ${this.where()}:\n${shown}`)
      })
  }

  /** The page has what it asked for, and has drawn it. */
  async isQuiet(): Promise<void> {
    await this.page.waitForSelector("main h1")
    const begun = Date.now()
    do {
      if (Date.now() - begun > patience)
        throw new Error(`no answer: ${[...this.#asked].map((_) => _.url()).join(", ")}`)
      await this.page.waitForFunction(() => document.querySelector("main [role=status][aria-label]") === null)
      // What is drawn may ask for more.
      await this.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    } while (this.#asked.size > 0)
  }

  sees(text: string): Promise<void> {
    return this.#until(text, true)
  }

  seesNot(text: string): Promise<void> {
    return this.#until(text, false)
  }

  /** The text of a region, such as a secret that is shown once. */
  async read(label: string): Promise<string> {
    const element = await this.page.waitForSelector(named("region", label))
    return (await element?.evaluate((_) => _.textContent ?? "")) ?? ""
  }

  /** Nothing that keeps somebody out: axe's findings that are serious or critical. */
  async isAccessible(): Promise<void> {
    await this.page.evaluate(axeSource)
    const findings = await this.page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: { run: () => Promise<{ violations: ReadonlyArray<Finding> }> } }
      return (await axe.run()).violations
    })
    const grave = findings.filter(({ impact }) => impact === "serious" || impact === "critical")
    assert.deepStrictEqual(
      grave.map(({ id, nodes }) => `${id}: ${nodes.map((_) => `${_.html} ${_.failureSummary ?? ""}`).join("\n")}`),
      [],
      `at ${this.where()}`
    )
  }

  /** Nothing of the page is wider than the window. */
  async fits(): Promise<void> {
    const wide = await this.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    assert.isAtMost(wide, 0, `${this.where()} is wider than the window`)
  }

  hasNoFaults(): void {
    assert.deepStrictEqual(this.faults, [], `at ${this.where()}`)
  }
}
