import type { Browser } from "puppeteer-core"
import { afterAll, describe, test } from "vitest"
import { chromium, startedBrowser } from "./chromium.ts"

/**
 * Stories that a person lives in a real Chromium, and the browser of them.
 * Without one they are skipped, and the output says so.
 */
export const inBrowser = (title: string, stories: (browser: () => Promise<Browser>) => void): void => {
  const executable = chromium
  if (executable === undefined) {
    test.skip(`${title}: SKIPPED, CHROMIUM IS NOT INSTALLED`, () => undefined)
    return
  }
  describe(title, () => {
    let browser: Promise<Browser> | undefined
    afterAll(async () => {
      await (await browser)?.close()
    })
    stories(() => (browser ??= startedBrowser(executable)))
  })
}
