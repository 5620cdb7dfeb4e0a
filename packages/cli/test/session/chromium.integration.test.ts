import { assert, layer } from "@effect/vitest"
import { Console, Effect, Fiber, Layer, Schedule } from "effect"
import { existsSync } from "node:fs"
import { launch, type Page } from "puppeteer-core"
import { Cast } from "../../../gateway/test/harness/Cast.ts"
import { TestGateway } from "../../../gateway/test/harness/TestGateway.ts"
import { newHome } from "./home.ts"

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((_) =>
  existsSync(_)
)

/** A tab of a real browser. */
const tab = Effect.acquireRelease(
  Effect.promise(() =>
    launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"]
    })
  ),
  (browser) => Effect.promise(() => browser.close())
).pipe(Effect.flatMap((browser) => Effect.promise(() => browser.newPage())))

const text = (page: Page) => page.$eval("body", (_) => _.textContent ?? "")

const Stage = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

layer(Stage, { excludeTestServices: true })("a login with a real browser", (it) => {
  if (executablePath === undefined) {
    it.effect("is skipped without a Chromium", () =>
      Console.warn("No chromium: the login and device pages were not clicked")
    )
    return
  }

  it.effect("is completed on the provider's page, and leaves no code in the address", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const page = yield* tab
      const home = yield* newHome
      const browser = async (address: string) => {
        await page.goto(address)
        assert.include(await text(page), "Who are you?")
        await Promise.all([page.waitForNavigation(), page.click('button[value="oscar@people.example"]')])
      }
      const { exit, stderr, stdout } = yield* home.run(["login", url.customer, "--browser"], { browser })
      assert.strictEqual(exit, 0, stderr)
      assert.strictEqual(JSON.parse(stdout).user_email, "oscar@people.example")
      assert.include(yield* Effect.promise(() => text(page)), "You are logged in")
      assert.match(page.url(), /^http:\/\/127\.0\.0\.1:\d+\/done$/)
    })
  )

  it.effect("is cancelled on the provider's page", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const page = yield* tab
      const home = yield* newHome
      const browser = async (address: string) => {
        await page.goto(address)
        await Promise.all([page.waitForNavigation(), page.click('button[value="cancel"]')])
      }
      const cancelled = yield* home.run(["login", url.customer, "--browser"], { browser })
      assert.strictEqual(cancelled.exit, 3)
      assert.include(yield* Effect.promise(() => text(page)), "You are not logged in")
    })
  )

  it.effect("with a device's code is allowed on the provider's page", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const page = yield* tab
      const home = yield* newHome
      const written = { stdout: "", stderr: "" }
      const login = yield* Effect.forkChild(home.run(["login", url.customer, "--device", "-o", "json"], { written }))
      const shown = Effect.sync(() => /(https?:\S+\/device)\b[^]*?\b([A-Z0-9]{4}-?[A-Z0-9]{4})\b/.exec(written.stderr))
      const read = yield* Effect.repeat(shown, { until: (_) => _ !== null, schedule: Schedule.spaced("20 millis") })
      const [, address = "", code = ""] = read ?? []
      yield* Effect.promise(async () => {
        await page.goto(address)
        await page.type('input[name="user_code"]', code)
        await Promise.all([page.waitForNavigation(), page.keyboard.press("Enter")])
        await page.click('input[value="oscar@people.example"]')
        await Promise.all([page.waitForNavigation(), page.click('button[value="allow"]')])
        assert.include(await text(page), "Go back to your device")
      })
      const { exit, stderr, stdout } = yield* Fiber.join(login)
      assert.strictEqual(exit, 0, stderr)
      assert.strictEqual(JSON.parse(stdout).user_email, "oscar@people.example")
    })
  )
})
