/** Kubernetes quantities (`100Gi`, `500m`, `1e3`), counted in thousandths so that they add up exactly. */
export interface Quantity {
  readonly milli: bigint
  readonly form: "BinarySI" | "DecimalSI"
}

const binary = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const
const decimal = ["", "k", "M", "G", "T", "P", "E"] as const

const pattern = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:([eE])([+-]?\d+)|(m|[kMGTPE]|[KMGTPE]i)?)$/

export const isQuantity = (value: unknown): value is string | number =>
  typeof value === "number" || (typeof value === "string" && pattern.test(value))

/** Undefined for text that is no quantity. Fractions of a thousandth are rounded up, as upstream. */
export const parseQuantity = (value: unknown): Quantity | undefined => {
  const [all, sign, digits = "", , exponent, suffix = ""] = pattern.exec(String(value)) ?? []
  if (all === undefined) return undefined
  const [whole = "", fraction = ""] = digits.split(".")
  const isBinary = suffix.endsWith("i")
  const unit = isBinary ? 1024n ** BigInt(binary.findIndex((_) => _ === suffix)) : 10n ** BigInt(powerOf(suffix) + 3)
  const scaled = BigInt(`${whole}${fraction}` || "0") * unit * (isBinary ? 1000n : 1n)
  const down = fraction.length - Number(exponent ?? 0)
  const milli = down > 0 ? (scaled + 10n ** BigInt(down) - 1n) / 10n ** BigInt(down) : scaled * 10n ** BigInt(-down)
  return { milli: sign === "-" ? -milli : milli, form: isBinary ? "BinarySI" : "DecimalSI" }
}

const powerOf = (suffix: string): number => (suffix === "m" ? -3 : 3 * decimal.findIndex((_) => _ === suffix))

export const zero: Quantity = { milli: 0n, form: "DecimalSI" }

export const count = (number: number): Quantity => ({ milli: BigInt(number) * 1000n, form: "DecimalSI" })

/** The sum has the format of the first quantity, or of the second when the first is zero. */
export const plus = (a: Quantity, b: Quantity): Quantity => ({
  milli: a.milli + b.milli,
  form: a.milli === 0n ? b.form : a.form
})

export const minus = (a: Quantity, b: Quantity): Quantity => plus(a, { ...b, milli: -b.milli })

/** The canonical spelling: the largest unit that leaves a whole number. */
export const formatQuantity = ({ form, milli }: Quantity): string => {
  if (milli === 0n) return "0"
  if (form === "BinarySI" && milli % 1000n === 0n) return shortest(milli / 1000n, 1024n, binary)
  return milli % 1000n === 0n ? shortest(milli / 1000n, 1000n, decimal) : `${milli}m`
}

const shortest = (value: bigint, base: bigint, units: ReadonlyArray<string>): string => {
  const divides = units.map((_, power) => value % base ** BigInt(power) === 0n)
  const power = divides.includes(false) ? divides.indexOf(false) - 1 : units.length - 1
  return `${value / base ** BigInt(power)}${units[power]}`
}

export const canonical = (value: unknown): string => {
  const quantity = parseQuantity(value)
  return quantity === undefined ? String(value) : formatQuantity(quantity)
}
