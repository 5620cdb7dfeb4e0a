import type { Account } from "./AccountDialogs.tsx"

/** Whether an account has the text in its name, or as its number. */
export const isMeant = ({ name, number }: Account, text: string): boolean =>
  String(number) === text.trim() || name.toLowerCase().includes(text.toLowerCase())
