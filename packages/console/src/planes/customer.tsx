import type { Plane } from "../app/definitions.ts"
import { customerSections } from "./sections.ts"

export const plane: Plane = { name: "customer", sections: customerSections, written: {} }
