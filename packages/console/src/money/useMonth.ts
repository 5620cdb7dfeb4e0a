import { usePreferences } from "../preferences/preferences.ts"

/** `January 2026` of a moment or a month such as `2026-01`, which is one of UTC. */
export const useMonth = (): ((text: string) => string) => {
  const { language } = usePreferences()
  const written = new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" })
  return (text) => written.format(new Date(`${text.slice(0, 7)}-01T00:00:00Z`))
}
