/** What the tests were told of the real cloud. */
export const told = (name: string): string => {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: is the real cloud up?`)
  return value
}
