import { failureTable } from "@portico/contract/Failures"
import { readFileSync } from "node:fs"
import { assert, beforeAll, describe, test } from "vitest"
import { Bundle, built, modulesOf } from "./harness/Bundle.ts"

/** Bytes of everything that is loaded before the overview is there. */
const budget = 150_000

const customer = new Bundle("customer")
const operator = new Bundle("operator")
const planes = { customer, operator }

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>
}

const documentOf = (plane: string): Document =>
  JSON.parse(readFileSync(new URL(`../../contract/generated/openapi.${plane}.json`, import.meta.url), "utf8"))

const namesIn = ({ paths }: Document): ReadonlySet<string> => {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  return new Set([...Object.keys(paths), ...operations.flatMap((_) => _.operationId ?? [])])
}

/** Paths and operations that the operator plane alone has. */
const operatorsOwn = (): ReadonlyArray<string> => [
  ...namesIn(documentOf("operator")).difference(namesIn(documentOf("customer")))
]

/** `tenants` of `tenants.list`: groups of operations that the operator plane alone has. */
const operatorsGroups = (): ReadonlyArray<string> => {
  const groupsOf = (plane: string) =>
    new Set([...namesIn(documentOf(plane))].flatMap((_) => (_.startsWith("/") ? [] : (_.split(".")[0] ?? []))))
  return [...groupsOf("operator").difference(groupsOf("customer"))]
}

/** Codes of failures that the operator plane's document alone names. */
const operatorsCodes = (): ReadonlyArray<string> => {
  const [own, customers] = ["operator", "customer"].map((_) => JSON.stringify(documentOf(_)))
  const isIn = (document = "", code: string) => document.includes(`"${code}"`)
  return failureTable.map((_) => _.code).filter((_) => isIn(own, _) && !isIn(customers, _))
}

/** What is between a name and a letter that would make it another one. */
const has = (text: string, name: string): boolean => new RegExp(`["'\`]${RegExp.escape(name)}["'\`]`).test(text)

describe("the console's files", () => {
  beforeAll(built)

  for (const [name, bundle] of Object.entries(planes)) {
    test(`show the first page of the ${name} plane after less than 150 kB`, () => {
      const files = bundle.firstView(/^OverviewPage\.tsx$/)
      const sizes = Object.fromEntries(files.map((_) => [_, bundle.compressed(_)]))
      const sum = Object.values(sizes).reduce((one, other) => one + other, 0)
      assert.isBelow(sum, budget, JSON.stringify(sizes, undefined, 2))
      assert.isAbove(sum, 50_000, "the scripts are not among them")
    })

    test(`of the ${name} plane have no script and no style within the start page`, () => {
      const page = bundle.read("index.html")
      assert.match(page, /<script type="module"[^>]* src="\/console\/assets\//)
      assert.notMatch(page, /<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=/i)
    })

    test(`of the ${name} plane keep nothing in the browser, and evaluate no text`, () => {
      for (const file of bundle.names) {
        assert.notMatch(bundle.read(file), /\blocalStorage\b|\bindexedDB\b/, file)
        assert.notMatch(bundle.read(file), /\beval\(|\bnew Function\(/, file)
      }
    })

    test(`of the ${name} plane name no third party to load from`, () => {
      /** Identifiers, and where the texts of errors say more: nothing is loaded from there. */
      const named = [
        "www.w3.org",
        "react.dev",
        "base-ui.com",
        "json-schema.org",
        "example.com",
        "kubernetes.default.svc"
      ]
      for (const file of bundle.names) {
        const hosts = [...bundle.read(file).matchAll(/(?:https?:|["'`(])\/\/([a-z0-9-]+(?:\.[a-z0-9-]+)+)/gi)]
        const others = hosts.flatMap(([, host = ""]) =>
          named.includes(host) || /\.example(\.|$)|^127\./.test(host) ? [] : [host]
        )
        assert.deepStrictEqual(others, [], file)
      }
    })
  }

  test("of customers have no operation of the operators alone", () => {
    const own = operatorsOwn()
    assert.isAbove(own.length, 30)
    for (const file of customer.names) {
      const text = customer.read(file)
      assert.deepStrictEqual(
        own.filter((_) => has(text, _)),
        [],
        file
      )
    }
    const operators = operator.names.map((_) => operator.read(_)).join("\n")
    assert.isAbove(own.filter((_) => has(operators, _)).length, 30, "this test sees no operation at all")
  })

  test("of customers describe no failure of the operators, and name no group of their operations", () => {
    const own = [...operatorsCodes(), ...operatorsGroups()]
    assert.isAbove(own.length, 20)
    const keyOrText = (text: string, name: string) => has(text, name) || text.includes(`${name}:{cause:`)
    for (const file of customer.names) {
      const text = customer.read(file)
      assert.deepStrictEqual(
        own.filter((_) => keyOrText(text, _)),
        [],
        file
      )
    }
  })

  test("of customers have no module of the operators", async () => {
    const modules = await modulesOf("customer")
    assert.include(modules, "src/planes/customer.tsx")
    assert.deepStrictEqual(
      modules.filter((_) => /(^|\/)operator/i.test(_)),
      []
    )
    assert.include(await modulesOf("operator"), "src/planes/operator.tsx")
  })
})
