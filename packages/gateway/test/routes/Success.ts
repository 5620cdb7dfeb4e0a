import type { Server } from "@portico/simulator/Server"
import type { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import type { MemberRole } from "@portico/store/Credentials"
import type { Memory } from "@portico/testing/store/Memory"
import type { Effect } from "effect"
import type { Cast } from "../harness/Cast.ts"
import type { TestGateway } from "../harness/TestGateway.ts"

type Needs = Cast | TestGateway | SimulatedCloud | Server | Memory

interface Request {
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface Success {
  /** For whoever is allowed to: an administrator, or a tier of acme's. */
  readonly status: number
  /** What the request aims at exists and is acme's, and is made anew for every call. */
  /** What it takes of the thing that is prepared, where that is more than the route's own tier; the refusal follows from the thing. */
  readonly tier?: 0 | 1 | 2
  readonly prepare: Effect.Effect<Request, never, Needs>
  /** Puts back what the call has changed, when it would be in the way of the others. */
  readonly after?: Effect.Effect<void, never, Needs>
  /** It has a login of its own in what was prepared, which decides, whoever else the request says that it is from. */
  readonly ownLogin?: true
  /** What a good credential of globex gets: its own things, or nothing of acme's. */
  readonly elsewhere?: { readonly status: number; readonly body?: (path: string) => unknown }
  /** Which members are let through, besides platform administrators, and what everybody else gets. */
  readonly roles?: {
    readonly allowed: ReadonlyArray<MemberRole>
    readonly refusal: { readonly status: number; readonly body: unknown }
  }
  /** What is another tenant's is not there, before roles are looked at. */
  readonly hides?: true
  /** What a platform administrator gets, where that differs. */
  readonly administrator?: { readonly status: number; readonly body: unknown }
  /** What they get on the customer plane, where that differs from the operator plane. */
  readonly administratorAtCustomers?: { readonly status: number; readonly body: unknown }
}
