import { Effect } from "effect"
import { Screen, type Side } from "../Screen.ts"
import type { Look } from "./draw.ts"

/** Where a text for people is shown. */
export interface Frame extends Look {
  readonly columns: number
}

const frameOf = ({ colors, columns }: Side, unicode: boolean): Frame => ({ colors, columns: columns(), unicode })

/** Of results. */
export const outFrame = Effect.map(Screen, ({ out, unicode }) => frameOf(out, unicode))

/** Of what is said beside them. */
export const errFrame = Effect.map(Screen, ({ err, unicode }) => frameOf(err, unicode))
