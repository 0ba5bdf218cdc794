/** A chart of `report/charts`, drawn again whenever its place changes width. */
import type { ChartContext } from '@loadcurve/report/charts/chart'
import { useEffect, useRef } from 'preact/hooks'

export interface ChartProps {
  readonly title: string
  /** One sentence on how to read it. */
  readonly caption?: string
  readonly draw: (context: ChartContext) => SVGSVGElement
}

export function Chart({ title, caption, draw }: ChartProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    let drawnWidth = 0
    const redraw = () => {
      const widthPx = Math.floor(element.clientWidth)
      if (widthPx < 50 || widthPx === drawnWidth) return
      drawnWidth = widthPx
      element.replaceChildren(draw({ document, widthPx }))
    }
    redraw()
    const observer = new ResizeObserver(redraw)
    observer.observe(element)
    return () => observer.disconnect()
  }, [draw])
  return (
    <figure class="card chart">
      <figcaption>
        <h3>{title}</h3>
        {caption === undefined ? null : <p class="muted">{caption}</p>}
      </figcaption>
      <div ref={place} class="chart-place" />
    </figure>
  )
}
