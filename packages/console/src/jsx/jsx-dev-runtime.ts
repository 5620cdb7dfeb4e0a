import { jsxDEV as plain } from "react/jsx-dev-runtime"
import { shownProps } from "./jsx-runtime.ts"

export { Fragment, type JSX } from "react"

/** The same as `jsx`, for builds that are not for production. */
export const jsxDEV: typeof plain = (type, props, ...rest) => plain(type, shownProps(props), ...rest)
