/** For display only: sums and comparisons use cents. */
export const eurosOf = (cents: number): number => cents / 100

/** `1234` as `12.34 EUR`. */
export const eurosIn = (cents: number): string => {
  const whole = BigInt(cents)
  return `${whole / 100n}.${String(whole % 100n).padStart(2, "0")} EUR`
}

/**
 * Divides integers and rounds half to even, so that repeated rounding adds no
 * bias.
 *
 * @param divisor above 0
 */
export const halfEven = (dividend: bigint, divisor: bigint): bigint => {
  if (dividend < 0n) return -halfEven(-dividend, divisor)
  const whole = dividend / divisor
  const twice = 2n * (dividend % divisor)
  if (twice === divisor) return whole + (whole % 2n)
  return twice > divisor ? whole + 1n : whole
}
