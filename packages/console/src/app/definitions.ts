import type { LucideIcon } from "lucide-react"
import type { ComponentType } from "react"
import type { Bilingual } from "../words/words.ts"
import type { Me } from "./me.ts"

/** A page, and where it is. */
export interface PageDefinition {
  /** `/compute/servers/:server_id`. A page with a parameter is not in the navigation. */
  readonly path: string
  readonly title: Bilingual
  readonly load: () => Promise<{ readonly default: ComponentType }>
  /** Whether the person has it at all; what a person may not do on it, the page says. */
  readonly when?: (me: Me) => boolean
  /** Further words under which the palette finds it. */
  readonly keywords?: string
}

/** An act that the palette offers. It is a place: an address with its dialog open. */
export interface ActDefinition {
  readonly title: Bilingual
  readonly href: string
  readonly when?: (me: Me) => boolean
}

/** A thing that the palette has found. */
export interface Found {
  readonly title: string
  /** What it is, such as `Server`. */
  readonly kind: string
  readonly href: string
}

/** Looks for things with a text in their names. It fails silently: a service that is down finds nothing. */
export type Finder = (text: string, signal: AbortSignal) => Promise<ReadonlyArray<Found>>

/** One entry of the navigation, with its pages. */
export interface Area {
  readonly title: Bilingual
  readonly icon: LucideIcon
  readonly pages: ReadonlyArray<PageDefinition>
  readonly acts?: ReadonlyArray<ActDefinition>
  readonly finder?: () => Promise<{ readonly find: Finder }>
}

export interface Section {
  readonly title: Bilingual
  readonly areas: ReadonlyArray<Area>
}

/** What is different between the consoles of the two planes. */
export interface Plane {
  readonly name: "customer" | "operator"
  readonly sections: ReadonlyArray<Section>
  /** Groups of this plane alone whose answers are out of date after a write below a route, by the route's name. */
  readonly written: Readonly<Record<string, ReadonlyArray<string>>>
}

export const pagesOf = ({ sections }: Plane): ReadonlyArray<PageDefinition> =>
  sections.flatMap((_) => _.areas).flatMap((_) => _.pages)

/** Whether a page is in the navigation. */
export const isListed = ({ path }: PageDefinition): boolean => !path.includes(":")
