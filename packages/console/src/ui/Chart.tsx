import { lazy, Suspense } from "react"
import { Loading } from "./Loading.tsx"

export interface Series {
  readonly label: string
  /** One for each time; null where nothing was measured. */
  readonly values: ReadonlyArray<number | null>
  /** `dashed` for what is expected and not measured; `steps` for whole numbers that hold until the next. */
  readonly style?: "line" | "dashed" | "steps"
  readonly tone?: "accent" | "bad" | "info" | "muted"
}

export interface ChartProps {
  /** What is drawn, for those who do not see it: a sentence with the figures that matter. */
  readonly summary: string
  /** Seconds since the epoch, ascending. */
  readonly times: ReadonlyArray<number>
  readonly series: ReadonlyArray<Series>
  /** A horizontal line, such as an alarm's threshold or a budget. */
  readonly threshold?: { readonly label: string; readonly value: number } | undefined
  /** How a value is written at the axis. */
  readonly format: (value: number) => string
  readonly height?: number
}

const Drawn = lazy(() => import("./ChartCanvas.tsx"))

/** Curves over time. The library is loaded with the first one. */
export const Chart = (props: ChartProps) => (
  <Suspense fallback={<Loading />}>
    <Drawn {...props} />
  </Suspense>
)
