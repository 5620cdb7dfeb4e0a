import { localTime } from "../output/localTime.ts"
import { harmless } from "../output/sanitize.ts"
import type { Side } from "../Screen.ts"
import type { Delivered } from "./deliver.ts"
import { colorOf, lineOf } from "./line.ts"

const nextOf = ({ again_in, delivered, status }: Delivered): string => {
  if (delivered || status === 410) return ""
  return again_in === null ? "given up" : `again in ${again_in} s`
}

/** An attempt as one line: time, kind, status, how long it took, what comes next, and the event's key. */
export const deliveryLine = (side: Side, delivered: Delivered): string => {
  const { at, duration_ms, error, key, kind, status } = delivered
  const next = nextOf(delivered)
  return lineOf(side, [
    [localTime(at), 2],
    [harmless(kind), colorOf(kind)],
    [status === null ? (error ?? "") : String(status), delivered.delivered ? 32 : 31],
    [`${duration_ms} ms`, 2],
    ...(next === "" ? [] : [[next, 33] as const]),
    [harmless(key)]
  ])
}
