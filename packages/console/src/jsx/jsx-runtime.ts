import { jsx as plain, jsxs as plains } from "react/jsx-runtime"
import { shownProps } from "./shownProps.ts"

export { Fragment, type JSX } from "react"

/** Every text of the console passes here on its way to the page, whatever component it is a part of. */
export const jsx: typeof plain = (type, props, key) => plain(type, shownProps(props), key)

export const jsxs: typeof plains = (type, props, key) => plains(type, shownProps(props), key)
