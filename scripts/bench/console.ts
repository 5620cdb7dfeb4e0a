import { Effect, FileSystem } from "effect"
import type { Browser, BrowserContext } from "puppeteer-core"
import { chromium, startedBrowser } from "../../packages/console/test/harness/chromium.ts"
import { summaryOf } from "./numbers.ts"
import { onNode, running } from "./proxy/processes.ts"
import { cell, concluded, type Goal, type Part, ratio, shown } from "./results.ts"

const rounds = 9
/** The first view, from the address to the figures of the overview. */
const goal = 1000

const person = "owner@acme.example"

/** `npm start` with data of its own; answers the customers' address. */
const demo = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const directory = yield* fs.makeTempDirectoryScoped({ prefix: "portico-bench-" })
  const ports = ["CUSTOMER_PORT", "OPERATOR_PORT", "AGENT_PORT", "CLOUD_PORT", "CLOUD_S3_PORT"]
  const env = { ...Object.fromEntries(ports.map((_) => [_, "0"])), PORTICO_DATA_DIR: directory }
  const { up } = yield* running({ name: "npm start", env, ...onNode("packages/gateway/src/start.ts") }, (said) =>
    said.includes("Ctrl-C stops all of it") ? /(http:\S+)\/console\//.exec(said)?.[1] : undefined
  )
  return up
})

const browser = (executable: string) =>
  Effect.acquireRelease(
    Effect.promise(() => startedBrowser(executable)),
    (_) => Effect.promise(() => _.close())
  )

const signedIn = async (browser: Browser, url: string): Promise<BrowserContext> => {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  await page.goto(`${url}/console/`)
  await page.locator('::-p-aria([name="Sign in"][role="button"])').click()
  await page.locator(`button[value="${person}"]`).click()
  await page.locator("main h1").wait()
  await page.close()
  return context
}

interface View {
  readonly name: string
  readonly path: string
  /** What is there when the page is. */
  readonly shown: string
  readonly cached: boolean
}

const views: ReadonlyArray<View> = [
  { name: "an empty document", path: "/console/config.json", shown: "body", cached: false },
  { name: "the overview, first visit", path: "/console/", shown: "main [role=meter]", cached: false },
  { name: "the overview, later visit", path: "/console/", shown: "main [role=meter]", cached: true },
  { name: "credentials, later visit", path: "/console/credentials", shown: "main tbody tr", cached: true }
]

/** Milliseconds by the page's own clock, which begins with the navigation. */
const took = async (context: BrowserContext, url: string, { cached, path, shown }: View): Promise<number> => {
  const page = await context.newPage()
  await page.setCacheEnabled(cached)
  await page.goto(`${url}${path}`, { waitUntil: "domcontentloaded" })
  const handle = await page.waitForFunction(
    (shown) => (document.querySelector(shown) === null ? undefined : performance.now()),
    { polling: "mutation" },
    shown
  )
  const at = (await handle.jsonValue()) ?? Number.NaN
  await page.close()
  return at
}

const firstViews = (executable: string) =>
  Effect.gen(function* () {
    const url = yield* demo
    const context = yield* Effect.flatMap(browser(executable), (_) => Effect.promise(() => signedIn(_, url)))
    const times = views.map((): Array<number> => [])
    for (let round = -1; round < rounds; round++) {
      for (const [index, view] of views.entries()) {
        const millis = yield* Effect.promise(() => took(context, url, view))
        // The first round fills caches.
        if (round >= 0) times[index]?.push(millis)
      }
    }
    const bare = times[0] ?? []
    const rows = views.map(({ name }, index) => {
      const series = times[index] ?? []
      return [name, cell(summaryOf(series), 0), cell(summaryOf(ratio(series, bare)), 1)]
    })
    const goals = views.flatMap(({ name, path }, index): ReadonlyArray<Goal> =>
      path === "/console/" ? [{ what: name, measured: summaryOf(times[index] ?? []), wanted: { atMost: goal } }] : []
    )
    return {
      title: "From the address to the page's own content",
      rows: [["", "ms", "by an empty document"], ...rows],
      notes: [],
      goals,
      numbers: Object.fromEntries(views.map(({ name }, index) => [name, times[index]]))
    } satisfies Part
  })

/** How long the console takes to show something, in a real Chromium against `npm start`. */
export const consoleBench = Effect.gen(function* () {
  if (chromium === undefined) return yield* Effect.fail("There is no Chromium here.")
  yield* concluded("console", "Milliseconds to the first view", [yield* shown("first view", firstViews(chromium))], {})
})
