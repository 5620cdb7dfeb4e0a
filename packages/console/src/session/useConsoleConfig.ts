import { useQuery } from "@tanstack/react-query"
import { type ConsoleConfig, consoleConfig } from "./config.ts"

/** The settings of this console; undefined until they are read. */
export const useConsoleConfig = (): ConsoleConfig | undefined =>
  useQuery({ queryKey: ["console.config"], queryFn: consoleConfig, staleTime: Infinity }).data
