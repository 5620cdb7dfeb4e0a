import { assert, describe, test } from "vitest"
import { isValidElement, type ReactElement } from "react"
import { jsx, jsxs } from "../src/jsx/jsx-runtime.ts"

const propsOf = (element: ReactElement): unknown => (isValidElement(element) ? element.props : undefined)

const Component = () => null

describe("a text on its way to the page", () => {
  for (const type of ["p", Component] as const) {
    test(`has its hidden characters spelled out, in ${typeof type === "string" ? "an element" : "a component"}`, () => {
      const given = { children: "ac\u202eme", title: "a\u200bb", "aria-label": "\u2066x", placeholder: "\ufeff" }
      assert.deepStrictEqual(propsOf(jsx(type, given)), {
        children: "ac\\u{202e}me",
        title: "a\\u{200b}b",
        "aria-label": "\\u{2066}x",
        placeholder: "\\u{feff}"
      })
      const child = jsx("b", { children: "b" })
      assert.deepStrictEqual(propsOf(jsxs(type, { children: ["a\u200b", 1, child, ["\u202e"]] })), {
        children: ["a\\u{200b}", 1, child, ["\\u{202e}"]]
      })
    })
  }

  test("is as it is in every script, and where it is a value", () => {
    const given = { children: "Müller חברה می\u200cخواهم \u2764\ufe0f\n", value: "ac\u202eme", href: "/x?\u202e" }
    assert.deepStrictEqual(propsOf(jsx("p", given)), given)
  })
})
