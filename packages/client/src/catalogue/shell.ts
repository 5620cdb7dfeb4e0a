/** A word as a shell takes it: nothing in it is expanded, whether the shell is dash, bash or zsh. */
export const quoted = (word: string): string => {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word)) return word
  return /["$`\\!\n]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : `"${word}"`
}
