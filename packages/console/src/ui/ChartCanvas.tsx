import { spelledOut } from "@portico/client/spelledOut"
import { useEffect, useRef } from "react"
import UPlot from "uplot"
import "uplot/dist/uPlot.min.css"
import { usePreferences } from "../preferences/preferences.ts"
import { type Formats, useFormats } from "../words/formats.ts"
import styles from "./Chart.module.css"

interface Series {
  readonly label: string
  /** One for each time; null where nothing was measured. */
  readonly values: ReadonlyArray<number | null>
  /** `dashed` for what is expected and not measured; `steps` for whole numbers that hold until the next. */
  readonly style?: "line" | "dashed" | "steps"
  readonly tone?: "accent" | "bad" | "info" | "muted"
}

interface ChartProps {
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

/** The value of a colour of the page, which a canvas needs as such. */
const colour = (element: Element, name: string): string => {
  const probe = document.createElement("span")
  probe.style.color = `var(--${name})`
  element.append(probe)
  const value = getComputedStyle(probe).color
  probe.remove()
  return value
}

const seriesOf =
  (element: Element, format: ChartProps["format"]) =>
  (series: Series): UPlot.Series => {
    const { label, style = "line", tone = "accent" } = series
    const stepped = UPlot.paths.stepped?.({ align: 1 })
    return {
      label: spelledOut(label),
      stroke: colour(element, tone),
      width: 2,
      points: { show: false },
      value: (_, value) => (value === null || value === undefined ? "" : format(value)),
      ...(style === "dashed" ? { dash: [6, 4] } : {}),
      ...(style === "steps" && stepped !== undefined ? { paths: stepped } : {})
    }
  }

const draw = (
  element: HTMLElement,
  { format, height = 220, series, threshold, times }: ChartProps,
  formats: Formats
): UPlot => {
  const lines: ReadonlyArray<Series> =
    threshold === undefined
      ? series
      : [...series, { label: threshold.label, values: times.map(() => threshold.value), style: "dashed", tone: "bad" }]
  const axis = { stroke: colour(element, "muted"), grid: { stroke: colour(element, "line"), width: 1 } }
  return new UPlot(
    {
      width: Math.max(240, element.clientWidth),
      height,
      cursor: { drag: { x: false, y: false } },
      scales: { y: { range: (_, least, most) => [Math.min(0, least ?? 0), (most ?? 0) <= 0 ? 1 : (most ?? 1) * 1.1] } },
      axes: [
        { ...axis, values: (_, ticks, _axis, _space, step) => ticks.map((tick) => formats.tick(tick, step)) },
        {
          ...axis,
          size: 72,
          values: (_, ticks) => ticks.map(format).map((text, at, all) => (text === all[at - 1] ? "" : text))
        }
      ],
      series: [
        { value: (_, at) => (at === null ? "" : formats.moment(new Date(at * 1000).toISOString())) },
        ...lines.map(seriesOf(element, format))
      ]
    },
    [[...times], ...lines.map((_) => [..._.values])],
    element
  )
}

const ChartCanvas = (props: ChartProps) => {
  const { theme } = usePreferences()
  const formats = useFormats()
  const holder = useRef<HTMLElement>(null)
  const { series, summary, threshold, times } = props
  const content = JSON.stringify([times, series, threshold])
  useEffect(() => {
    const element = holder.current
    if (element === null) return undefined
    const plot = draw(element, props, formats)
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: Math.max(240, element.clientWidth), height: plot.height })
    )
    resized.observe(element)
    return () => {
      resized.disconnect()
      plot.destroy()
    }
    // Drawn again when what is drawn changes; functions are new at every rendering.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [content, theme, formats])
  return <figure ref={holder} className={styles["chart"]} role="img" aria-label={summary} />
}

export default ChartCanvas
