import { type Language, usePreferences } from "../preferences/preferences.ts"

const tags: Readonly<Record<Language, string>> = { en: "en-GB", de: "de-DE" }

/** Formatters are slow to make, so each is made once. */
const kept = <Key extends string, Formatter>(make: (key: Key) => Formatter) => {
  const made = new Map<Key, Formatter>()
  return (key: Key): Formatter => {
    const formatter = made.get(key) ?? make(key)
    made.set(key, formatter)
    return formatter
  }
}

const numbers = kept((tag: string) => new Intl.NumberFormat(tag, { maximumFractionDigits: 2 }))
const moments = kept((tag: string) => new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "short" }))
const exact = kept((tag: string) => new Intl.DateTimeFormat(tag, { dateStyle: "full", timeStyle: "long" }))
const days = kept((tag: string) => new Intl.DateTimeFormat(tag, { dateStyle: "medium" }))
const clocks = kept((tag: string) => new Intl.DateTimeFormat(tag, { hour: "2-digit", minute: "2-digit" }))
const dates = kept((tag: string) => new Intl.DateTimeFormat(tag, { day: "numeric", month: "short" }))
const relatives = kept((tag: string) => new Intl.RelativeTimeFormat(tag, { numeric: "auto" }))

const steps: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1]
]

const sizes = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]

const formatsOf = (tag: string) => ({
  number: (value: number) => numbers(tag).format(value),
  /** `12.50 EUR` of an amount as the API has it: a decimal as text, or a number. */
  money: (amount: string | number, currency: string) =>
    new Intl.NumberFormat(tag, { style: "currency", currency }).format(Number(amount)),
  /** The price of one second or less: with every digit that it has. */
  price: (amount: string | number, currency: string) =>
    new Intl.NumberFormat(tag, { style: "currency", currency, maximumFractionDigits: 20 }).format(Number(amount)),
  /** Of an RFC 3339 moment. */
  moment: (text: string) => moments(tag).format(new Date(text)),
  exact: (text: string) => exact(tag).format(new Date(text)),
  day: (text: string) => days(tag).format(new Date(text)),
  /** At the axis of a curve: the time of the day, or the day where a step is one or more. Both in seconds. */
  tick: (seconds: number, step: number) => (step < 86_400 ? clocks : dates)(tag).format(new Date(seconds * 1000)),
  /** `3 hours ago`, `in 2 days`. */
  relative: (text: string, now: number) => {
    const seconds = Math.round((new Date(text).getTime() - now) / 1000)
    const [unit, length] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1]
    return relatives(tag).format(Math.trunc(seconds / length), unit)
  },
  bytes: (count: number) => {
    const step = count < 1 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log2(count) / 10))
    return `${numbers(tag).format(count / 1024 ** step)} ${sizes[step]}`
  },
  percent: (share: number) => new Intl.NumberFormat(tag, { style: "percent", maximumFractionDigits: 0 }).format(share)
})

export type Formats = ReturnType<typeof formatsOf>

const formats = kept((language: Language) => formatsOf(tags[language]))

/** Numbers, money and times in the person's language. */
export const useFormats = (): Formats => formats(usePreferences().language)
