import { useSyncExternalStore } from "react"

export type Language = "en" | "de"
/** `system`: as the browser prefers. */
export type Theme = "system" | "light" | "dark"

interface Preferences {
  readonly language: Language
  readonly theme: Theme
}

/** A cookie of the console's paths alone: it outlives the tab, and the API never gets it. */
const name = "preferences"

const saved = (): Readonly<Record<string, string | null>> => {
  const cookie = document.cookie.split("; ").find((_) => _.startsWith(`${name}=`))
  const values = new URLSearchParams(cookie?.slice(name.length + 1))
  return { language: values.get("language"), theme: values.get("theme") }
}

const preferred = (): Language =>
  navigator.languages.find((_) => /^(de|en)\b/.test(_))?.startsWith("de") ? "de" : "en"

const initial = (): Preferences => {
  const { language, theme } = saved()
  return {
    language: language === "de" || language === "en" ? language : preferred(),
    theme: theme === "light" || theme === "dark" ? theme : "system"
  }
}

let preferences = initial()
const listeners = new Set<() => void>()

const show = () => {
  document.documentElement.lang = preferences.language
  document.documentElement.style.colorScheme = preferences.theme === "system" ? "light dark" : preferences.theme
}
show()

export const changePreferences = (change: Partial<Preferences>): void => {
  preferences = { ...preferences, ...change }
  const value = new URLSearchParams({ ...preferences }).toString()
  document.cookie = `${name}=${value}; Path=/console; Max-Age=31536000; SameSite=Strict`
  show()
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, () => preferences)

/** The language outside of components. */
export const currentLanguage = (): Language => preferences.language
