/** For people to read; what is added up and compared is cents. */
export const eurosOf = (cents: number): number => cents / 100

/** `1234` as `12.34 EUR`. */
export const eurosIn = (cents: number): string => {
  const whole = BigInt(cents)
  return `${whole / 100n}.${String(whole % 100n).padStart(2, "0")} EUR`
}
