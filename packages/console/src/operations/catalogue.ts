import type { Shape } from "@portico/client/catalogue/Catalogue"
import { useQuery } from "@tanstack/react-query"

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
