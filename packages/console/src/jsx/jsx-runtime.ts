import { spelledOut } from "@portico/client/spelledOut"
import { jsx as plain, jsxs as plains } from "react/jsx-runtime"

export { Fragment, type JSX } from "react"

/** Attributes that a browser shows, or that a screen reader says. */
const shownAttributes = ["alt", "aria-description", "aria-label", "placeholder", "title"] as const

const shown = (child: unknown): unknown =>
  typeof child === "string" ? spelledOut(child) : Array.isArray(child) ? child.map(shown) : child

/**
 * The properties of an element with its texts as people are shown them: characters that nobody sees, or that change the
 * order of others, are spelled out. Components of libraries make elements of the page without this module, so theirs
 * count too. Values of inputs stay, because they are sent back.
 */
export const shownProps = (props: unknown): unknown => {
  if (typeof props !== "object" || props === null) return props
  const changed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(props)) {
    const isShown = name === "children" || shownAttributes.some((_) => _ === name)
    changed[name] = isShown ? shown(value) : value
  }
  return changed
}

/** Every text of the console passes here on its way to the page, whatever component it is a part of. */
export const jsx: typeof plain = (type, props, key) => plain(type, shownProps(props), key)

export const jsxs: typeof plains = (type, props, key) => plains(type, shownProps(props), key)
