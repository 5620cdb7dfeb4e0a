/** `8s`, `2m 05s`, `1h 04m`: of a duration in milliseconds, as a progress line has it. */
export const elapsed = (millis: number): string => {
  const seconds = Math.max(0, Math.floor(millis / 1000))
  const two = (_: number) => String(_).padStart(2, "0")
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`
  return `${Math.floor(seconds / 3600)}h ${two(Math.floor(seconds / 60) % 60)}m`
}
