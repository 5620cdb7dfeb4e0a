import { assert, describe, test } from "vitest"
import { inBrowser } from "./harness/Browser.ts"
import { demoOf } from "./harness/Demo.ts"
import { inUse } from "./harness/Tenant.ts"
import { Person, people, type Role, sizes } from "./harness/Person.ts"

/** Refusals that belong to a page, by the role and the page. A page that is not here shows none. */
const expectedRefusals: Readonly<Partial<Record<Role, Readonly<Record<string, string>>>>> = {
  engineer: withoutMoney(),
  viewer: withoutMoney()
}

/** Nothing tells beforehand who may see money: the page says how to get access. */
function withoutMoney() {
  return Object.fromEntries(
    ["/costs", "/costs/budgets", "/costs/invoices"].map((_) => [_, "billing_access_required"] as const)
  )
}

const roles: ReadonlyArray<Role> = ["owner", "engineer", "viewer", "operator"]

/** The links of the navigation. It lists further pages of an area while one of its pages is open. */
const ledTo = ({ page }: Person): Promise<ReadonlyArray<string>> =>
  page.$$eval("nav a", (all) => all.map((_) => _.getAttribute("href")?.replace(/^\/console/, "") || "/"))

const refusalsAt = ({ page }: Person): Promise<ReadonlyArray<string>> =>
  page.$$eval('main [role="alert"]', (all) => all.map((_) => _.textContent ?? ""))

const isSound = async (person: Person, role: Role, path: string): Promise<void> => {
  const expected = expectedRefusals[role]?.[path]
  const refusals = await refusalsAt(person)
  if (expected === undefined) assert.deepStrictEqual(refusals, [], `${path} is refused`)
  else assert.include(refusals.join("\n"), expected, path)
  await person.isAccessible()
  await person.page.setViewport(sizes.phone)
  await person.fits()
  person.hasNoFaults()
}

/** The first object of a list, by the link of its row. */
const firstOf = ({ page }: Person): Promise<ReadonlyArray<string>> =>
  page.$$eval("main tbody a", (all) =>
    all
      .slice(0, 1)
      .flatMap((_) => _.getAttribute("href") ?? [])
      .filter((_) => _.startsWith("/console/"))
      .map((_) => _.slice("/console".length))
  )

/**
 * Opens every page that the navigation links to, and one object of each list. Each page fails on its own, so that one run
 * names all that is wrong.
 */
const allSound = async (person: Person, role: Role): Promise<ReadonlySet<string>> => {
  const pages = new Set(await ledTo(person))
  const objects = new Set<string>()
  const faults: Array<string> = []
  const look = async (path: string) => {
    person.faults.length = 0
    await person.page.setViewport(sizes.desk)
    await person.open(path)
    await person.isQuiet()
    for (const further of await ledTo(person)) pages.add(further)
    if (role === "owner" || role === "operator") for (const object of await firstOf(person)) objects.add(object)
    await isSound(person, role, path)
  }
  const noted = (path: string) => look(path).catch((error: unknown) => void faults.push(`${path}: ${String(error)}`))
  for (const path of pages) await noted(path)
  for (const path of [...objects].filter((_) => !pages.has(_))) await noted(path)
  assert.deepStrictEqual(faults, [])
  return pages
}

describe("every page", () => {
  inBrowser(
    "of the navigation opens without a fault, a refusal or a barrier, on a desk and on a telephone,",
    (browser) => {
      const demo = demoOf()
      let furnished: Promise<unknown> | undefined
      for (const role of roles) {
        test(`for ${people[role]}`, { timeout: 1_500_000 }, async () => {
          furnished ??= inUse(await demo())
          await furnished
          const person = await Person.as(role, await browser(), await demo())
          await person.page.waitForSelector("nav a")
          assert.include([...(await allSound(person, role))], "/operations")
        })
      }
    }
  )
})
