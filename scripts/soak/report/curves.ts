/** A line of a chart: points by time in seconds. */
export interface Curve {
  readonly name: string
  readonly points: ReadonlyArray<readonly [seconds: number, value: number]>
}

/** A span of time that is shaded in every chart. */
export interface Shade {
  readonly from: number
  readonly until: number
  readonly label: string
}

export const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

const width = 1080
const height = 220
const margin = { left: 64, right: 12, top: 12, bottom: 26 }
const colours = ["#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df", "#bf3989", "#0a7ea4", "#57606a"]

/** At most so many points of a curve are drawn: the greatest of those that fall together. */
const mostPoints = 700

const thinned = (points: Curve["points"]): Curve["points"] => {
  const each = Math.ceil(points.length / mostPoints)
  if (each <= 1) return points
  return Array.from({ length: Math.ceil(points.length / each) }, (_, index) => {
    const part = points.slice(index * each, (index + 1) * each)
    return part.reduce((a, b) => (b[1] > a[1] ? b : a))
  })
}

/** A chart as SVG, which needs nothing from anywhere else. */
export const chart = (
  title: string,
  unit: string,
  curves: ReadonlyArray<Curve>,
  shades: ReadonlyArray<Shade>
): string => {
  const all = curves.flatMap((_) => _.points)
  const end = Math.max(1, ...all.map((_) => _[0]))
  const top = Math.max(1e-9, ...all.map((_) => _[1])) * 1.05
  const x = (seconds: number) => margin.left + (Math.min(seconds, end) / end) * (width - margin.left - margin.right)
  const y = (value: number) => height - margin.bottom - (value / top) * (height - margin.top - margin.bottom)
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const value = top * share
    const label = value >= 100 ? value.toFixed(0) : value.toFixed(1)
    return `<line x1="${margin.left}" x2="${width - margin.right}" y1="${y(value)}" y2="${y(value)}" stroke="#d0d7de"/>
      <text x="${margin.left - 6}" y="${y(value) + 4}" text-anchor="end">${label}</text>`
  })
  const ticks = Array.from({ length: 11 }, (_, index) => {
    const seconds = (end * index) / 10
    return `<text x="${x(seconds)}" y="${height - 8}" text-anchor="middle">${(seconds / 60).toFixed(1)} min</text>`
  })
  const areas = shades.map(
    ({ from, label, until }) =>
      `<rect x="${x(from)}" y="${margin.top}" width="${Math.max(1.5, x(until) - x(from))}" height="${height - margin.top - margin.bottom}" fill="#d1242f" opacity="0.13"><title>${escaped(label)}</title></rect>`
  )
  const lines = curves.map(({ points }, index) => {
    const path = thinned(points).map(([seconds, value]) => `${x(seconds).toFixed(1)},${y(value).toFixed(1)}`)
    return `<polyline points="${path.join(" ")}" fill="none" stroke="${colours[index % colours.length]}" stroke-width="1.3"/>`
  })
  const legend = curves.map(
    ({ name }, index) => `<span><i style="background:${colours[index % colours.length]}"></i>${escaped(name)}</span>`
  )
  return `<section><h2>${escaped(title)} <small>${escaped(unit)}</small></h2>
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">${grid.join("")}${areas.join("")}${lines.join("")}${ticks.join("")}</svg>
    <p class="legend">${legend.join("")}</p></section>`
}
