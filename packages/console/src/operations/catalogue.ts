import type { Shape } from "@portico/client/catalogue/Catalogue"
import { useQuery } from "@tanstack/react-query"
import type { Finder } from "../app/definitions.ts"
import { currentLanguage } from "../preferences/preferences.ts"
import { words } from "./words.ts"

/** Every operation of this plane. Undefined until it is loaded. */
export const useOperations = (): ReadonlyArray<Shape> | undefined =>
  useQuery({
    queryKey: ["operations"],
    queryFn: () => import("virtual:operations").then((_) => _.operations),
    staleTime: Infinity
  }).data

/** The prose of an operation and of its fields, by place: `body.template.image`. Undefined until it is loaded. */
export const useDescription = (operation: string) =>
  useQuery({
    queryKey: ["descriptions"],
    queryFn: () => import("virtual:descriptions").then((_) => _.descriptions),
    staleTime: Infinity
  }).data?.[operation]

export const find: Finder = async (text) => {
  const { operations } = await import("virtual:operations")
  const wanted = text.toLowerCase()
  return operations
    .filter(({ id, summary }) => `${id} ${summary}`.toLowerCase().includes(wanted))
    .slice(0, 8)
    .map(({ id, summary }) => ({
      title: `${id}: ${summary}`,
      kind: words[currentLanguage()].operation,
      href: `/operations/${id}`
    }))
}
