import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"

const packages = fileURLToPath(new URL("../../", import.meta.url))

interface Import {
  readonly from: string
  readonly to: string
}

/** Every import of a file of the package by another, of types too. */
const importsIn = (root: string): ReadonlyArray<Import> =>
  globSync("**/*.ts", { cwd: root }).flatMap((from) =>
    [...readFileSync(join(root, from), "utf8").matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, to = ""]) => ({
      from,
      to: normalize(join(dirname(from), to))
    }))
  )

/** The folder; a file beside the folders is an area of its own. */
const areaOf = (file: string): string => file.split("/")[0] ?? ""

/** Those of the imports that are part of a circle of areas, or lead from one circle to another. */
const circling = (imports: ReadonlyArray<Import>): ReadonlyArray<Import> => {
  const left = imports.filter(
    (_) =>
      imports.some(({ to }) => areaOf(to) === areaOf(_.from)) &&
      imports.some(({ from }) => areaOf(from) === areaOf(_.to))
  )
  return left.length === imports.length ? left : circling(left)
}

describe("the areas of", () => {
  for (const name of ["domain", "gateway"]) {
    it(`${name} import each other in one direction`, () => {
      const imports = importsIn(join(packages, name, "src")).filter((_) => areaOf(_.from) !== areaOf(_.to))
      assert.isAbove(imports.length, 100)
      assert.deepStrictEqual(circling(imports), [])
    })
  }

  it("a cycle is found, without the imports that lead to it or out of it", () => {
    const imports = ["a/1 b/1", "b/2 c/1", "c/2 d.ts", "d.ts b/3", "d.ts e/1"].map((_) => {
      const [from = "", to = ""] = _.split(" ")
      return { from, to }
    })
    assert.deepStrictEqual(circling(imports), imports.slice(1, 4))
    assert.deepStrictEqual(circling(imports.slice(0, 3)), [])
  })
})
