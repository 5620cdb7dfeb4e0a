/** The steps of the slider: whole promilles of the window. */
export const slots = 1000

export interface Window {
  /** RFC 3339, both. */
  readonly earliest: string
  readonly latest: string
}

const millis = (text: string): number => new Date(text).getTime()

const wholeSeconds = (at: number): string => new Date(Math.floor(at / 1000) * 1000).toISOString()

/** The moment at a place of the slider: never outside of the window. */
export const momentAt = ({ earliest, latest }: Window, slot: number): string => {
  if (slot >= slots) return latest
  if (slot <= 0) return earliest
  const from = millis(earliest)
  const at = from + ((millis(latest) - from) * slot) / slots
  return millis(wholeSeconds(at)) < from ? earliest : wholeSeconds(at)
}

/** The place of a moment on the slider; what is outside of the window is at its end. */
export const slotOf = ({ earliest, latest }: Window, moment: string): number => {
  const [from, to, at] = [millis(earliest), millis(latest), millis(moment)]
  if (Number.isNaN(at) || to <= from) return slots
  return Math.min(slots, Math.max(0, Math.round(((at - from) / (to - from)) * slots)))
}

const padded = (value: number, digits: number): string => String(value).padStart(digits, "0")
const two = (value: number): string => padded(value, 2)

/** A moment as a field of date and time has it: in the time zone of the person. Empty for none. */
export const localOf = (moment: string): string => {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return ""
  const day = `${padded(at.getFullYear(), 4)}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`
}

/** What a field of date and time has, as a moment; undefined while it has none. */
export const momentOf = (local: string): string | undefined => {
  const at = new Date(local)
  return local === "" || Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
