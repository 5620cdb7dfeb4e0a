import { existsSync } from "node:fs"
import { type Browser, launch } from "puppeteer-core"
import { afterAll, describe, test } from "vitest"

export const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((_) =>
  existsSync(_)
)

const started = (path: string): Promise<Browser> =>
  launch({
    executablePath: path,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--lang=en-GB", "--force-device-scale-factor=1"]
  })

/**
 * Stories that a person lives in a real Chromium, and the browser of them.
 * Without one they are skipped, and the output says so.
 */
export const inBrowser = (title: string, stories: (browser: () => Promise<Browser>) => void): void => {
  if (executablePath === undefined) {
    test.skip(`${title}: THERE IS NO CHROMIUM HERE, so that these stories are skipped`, () => undefined)
    return
  }
  describe(title, () => {
    let browser: Promise<Browser> | undefined
    afterAll(async () => {
      await (await browser)?.close()
    })
    stories(() => (browser ??= started(executablePath)))
  })
}
