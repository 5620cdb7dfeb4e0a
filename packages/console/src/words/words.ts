import { type Language, usePreferences } from "../preferences/preferences.ts"

/** A text, or how it is made of values. */
type Word = string | ((...values: ReadonlyArray<never>) => string)

/** The same keys, and the same values in each. */
type Translated<W> = {
  readonly [K in keyof W]: W[K] extends (...values: infer Values) => string ? (...values: Values) => string : string
}

export type Words<W> = Readonly<Record<Language, Translated<W>>>

/** The texts of one area in both languages: the compiler refuses a text that is missing in one. */
export const wordsOf = <W extends Readonly<Record<string, Word>>>(
  en: W & Translated<W>,
  de: Translated<W>
): Words<W> => ({ en, de })

export const useWords = <W>(words: Words<W>): Translated<W> => words[usePreferences().language]

/** One text in both languages, where a whole catalogue would be too much: names of pages. */
export type Bilingual = Readonly<Record<Language, string>>

export const useBilingual = () => {
  const { language } = usePreferences()
  return (text: Bilingual): string => text[language]
}
