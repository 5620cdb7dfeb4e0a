/** An amount in whole cents as people read it, such as `€1,234.56`. */
export const moneyText = (cents: number, currency: string): string =>
  new Intl.NumberFormat("en-IE", { style: "currency", currency }).format(cents / 100)
