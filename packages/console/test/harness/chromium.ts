import { existsSync } from "node:fs"
import { type Browser, launch } from "puppeteer-core"

/** Of the machine's Chromium; undefined without one. */
export const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((_) =>
  existsSync(_)
)

export const startedBrowser = (executablePath: string): Promise<Browser> =>
  launch({
    executablePath,
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--lang=en-GB", "--force-device-scale-factor=1"]
  })
