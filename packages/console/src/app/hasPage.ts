import { plane } from "#plane"
import { pagesOf } from "./definitions.ts"

/** Whether this plane's console has a page: the planes share areas that lead to others. */
export const hasPage = (path: string): boolean => pagesOf(plane).some((_) => _.path === path)
