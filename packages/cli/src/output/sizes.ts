const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"] as const

export type SizeUnit = (typeof units)[number]

/** A size in the largest unit in which it is at least one, such as `1.5 TiB`. */
export const sizeText = (value: number, unit: SizeUnit): string => {
  let at = units.indexOf(unit)
  let size = value
  while (size >= 1024 && at < units.length - 1) {
    size /= 1024
    at += 1
  }
  return `${Math.round(size * 10) / 10} ${units[at]}`
}
