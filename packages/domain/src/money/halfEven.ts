/**
 * A quotient of integers, rounded to the nearest whole number, and from the
 * middle to the even one, so that what is rounded often grows in no direction.
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
