/** A word as a shell takes it. */
export const quoted = (word: string): string => {
  if (/^[\w@%+=:,./{}-]+$/.test(word) && !/^[{}]/.test(word)) return word
  return /["$`\\!\n]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : `"${word}"`
}
