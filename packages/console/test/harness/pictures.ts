import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import pixelmatch from "pixelmatch"
import { PNG } from "pngjs"
import { assert } from "vitest"
import { type Person, sizes } from "./Person.ts"

const docs = fileURLToPath(new URL("../../../../docs", import.meta.url))

/** What of a picture may differ from the last good one: edges of letters, and what stands beside a longer time. */
const tolerance = 0.004

/** In pixels of the picture. */
interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * The fonts of the machine decide where lines break. Pictures of one machine are compared on machines with the same
 * fonts only.
 */
export const fontsOf = ({ page }: Person): Promise<string> =>
  page.evaluate(() => {
    const context = document.createElement("canvas").getContext("2d")
    const style = getComputedStyle(document.body)
    const mono = style.getPropertyValue("--mono")
    return [style.fontFamily, mono]
      .map((family) => {
        if (context === null) return ""
        context.font = `100px ${family}`
        return context.measureText("Portico: 0123456789 & quota").width.toFixed(1)
      })
      .join(" ")
  })

/** What another day or another run writes otherwise: times, numbers, identifiers, curves. */
const changing = ({ page }: Person): Promise<ReadonlyArray<Place>> =>
  page.evaluate(() => {
    const rectangles: Array<DOMRect> = [...document.querySelectorAll("time, canvas, code")].map((_) =>
      _.getBoundingClientRect()
    )
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      if (!/\d/.test(text.textContent ?? "")) continue
      const range = document.createRange()
      range.selectNodeContents(text)
      rectangles.push(range.getBoundingClientRect())
    }
    return rectangles.map(({ height, width, x, y }) => ({ x, y, width, height }))
  })

/** Over both pictures alike. A margin covers what is a digit longer in the other one. */
const paintedOut = (picture: PNG, places: ReadonlyArray<Place>): PNG => {
  const margin = 12
  for (const { height, width, x, y } of places) {
    for (let row = Math.max(0, Math.floor(y)); row < Math.min(picture.height, y + height); row++) {
      const from = Math.max(0, Math.floor(x - margin))
      const to = Math.min(picture.width, Math.ceil(x + width + margin))
      if (to > from) picture.data.fill(0, (row * picture.width + from) * 4, (row * picture.width + to) * 4)
    }
  }
  return picture
}

/** The share of the pixels that differ. */
const difference = (before: PNG, now: PNG, places: ReadonlyArray<Place>): number => {
  if (before.width !== now.width || before.height !== now.height) return 1
  const { height, width } = now
  const differing = pixelmatch(
    paintedOut(before, places).data,
    paintedOut(now, places).data,
    undefined,
    width,
    height,
    {
      threshold: 0.2
    }
  )
  return differing / (width * height)
}

const isNew = process.env["PORTICO_PICTURES"] === "new"

/**
 * Compares the page, at a desk and on a telephone, with the pictures in `docs/<folder>/pictures`, where the documents
 * show them. `PORTICO_PICTURES=new` makes those of this run the good ones.
 */
export const looksAsBefore = async (person: Person, folder: "tenants" | "operators", name: string): Promise<void> => {
  for (const [size, viewport] of Object.entries(sizes)) {
    await person.page.setViewport(viewport)
    await person.page.evaluate(() => scrollTo(0, 0))
    await person.isQuiet()
    const places = await changing(person)
    const taken = Buffer.from(await person.page.screenshot({ type: "png" }))
    const file = join(docs, folder, "pictures", `${name}-${size}.png`)
    if (isNew) {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, taken)
      continue
    }
    assert.isTrue(existsSync(file), `${file} is missing: PORTICO_PICTURES=new makes it`)
    const share = difference(PNG.sync.read(readFileSync(file)), PNG.sync.read(taken), places)
    const seen = join(tmpdir(), `portico-${name}-${size}.png`)
    if (share > tolerance) writeFileSync(seen, taken)
    assert.isAtMost(share, tolerance, `${name} on a ${size} looks otherwise than before: see ${seen}`)
  }
  await person.page.setViewport(sizes.desk)
}
