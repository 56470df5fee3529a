import { assetPath } from '../../../server/assets.ts'
import { withScratchFolder } from '../../../server/plugin.ts'
import type { LabContext } from '../../context.ts'
import type { Figure } from '../figure.ts'
import { measureGrowth } from '../growth/figures.ts'
import { measureStores } from '../handoff/growth.ts'
import { pumpDeliveries } from '../host/fan-out.ts'
import { type Curve, curveFigure, type Point } from './curve.ts'
import { commitCosts, eventCosts } from './growing-room.ts'
import { CURVE_PARTS, type CurvePart } from './parts.ts'
import { startCosts } from './plugin-start.ts'

const SIZES = {
  records: [100, 1000, 10_000, 100_000],
  modules: [300, 1000, 5000, 20_000],
  document: [1024, 16 * 1024, 128 * 1024, 1024 * 1024],
  events: [1000, 10_000, 100_000, 1_000_000],
  readers: [1, 10, 100, 1000, 5000],
  plugins: [3, 10, 25, 50],
} as const satisfies Record<CurvePart, readonly number[]>

/** Twice the cost at a thousand times the size: the goals of handoffs among 100,000 records, of which 1.5 times for hooks. */
const DOUBLE_IN_A_THOUSAND = Math.log(2) / Math.log(1000)
const HALF_MORE_IN_A_THOUSAND = Math.log(1.5) / Math.log(1000)
/** Search among 20,000 modules may take 500 ms beyond a bare node, and 250 among 1,000. */
const DOUBLE_IN_TWENTY = Math.log(2) / Math.log(20)
/** As the size does, and a twentieth for what larger memory costs. */
const LINEAR = 1.05
/** What is measured for each event or reader does not grow. */
const FLAT = 0.05
/** A start among 50 plugins may take three times that among 3. */
const PLUGINS = Math.log(3) / Math.log(50 / 3)

interface Asked {
  readonly part: readonly CurvePart[]
  readonly largest: number
}

/** The exponents of all curves that are asked for. */
export async function measureCurves(
  context: LabContext,
  { part, largest }: Asked,
): Promise<readonly Figure[]> {
  const curves: Curve[] = []
  for (const one of part.length > 0 ? part : CURVE_PARTS) {
    context.signal.throwIfAborted()
    context.note(one)
    const sizes = SIZES[one].filter((size, at) => at < 2 || size <= largest)
    curves.push(...(await MEASURED[one](sizes, context)))
  }
  return curves.map(curveFigure)
}

const MEASURED: Record<
  CurvePart,
  (sizes: readonly number[], context: LabContext) => Promise<readonly Curve[]>
> = {
  async records(sizes, context) {
    const stores = await withScratchFolder('satchel-bench', (folder) => measureStores(folder, sizes, context))
    const curve = (
      name: 'hook' | 'capture' | 'list' | 'resume' | 'create' | 'search',
      goal: number,
    ): Curve => ({
      name: `records.${name}`,
      what: `the processor time of ${name} over the number of records`,
      unit: 'ms',
      points: stores.map(({ size, least }) => ({ size, cost: least.get(name)?.cpuMs ?? 0 })),
      goal,
    })
    return [
      curve('hook', HALF_MORE_IN_A_THOUSAND),
      curve('capture', HALF_MORE_IN_A_THOUSAND),
      ...(['list', 'resume', 'create', 'search'] as const).map((name) => curve(name, DOUBLE_IN_A_THOUSAND)),
    ]
  },
  async modules(sizes, context) {
    const measured: (readonly [number, readonly Figure[]])[] = []
    for (const modules of sizes) measured.push([modules, await measureGrowth(context, { modules })])
    const points = (name: string): readonly Point[] =>
      measured.map(([size, figures]) => ({
        size,
        cost: figures.find((figure) => figure.name === `growth.${size}.${name}`)?.ours ?? 0,
      }))
    const curve = (name: string, goal: number): Curve => {
      const [figure] = measured[0]?.[1].filter((one) => one.name.endsWith(`.${name}`)) ?? []
      const what = `${figure?.what ?? name} over the number of modules`
      return { name: `modules.${name}`, what, unit: figure?.unit ?? '', points: points(name), goal }
    }
    return [
      curve('build', FLAT),
      curve('update', LINEAR),
      curve('search', DOUBLE_IN_TWENTY),
      curve('list', DOUBLE_IN_TWENTY),
      curve('p50', LINEAR),
      curve('p95', LINEAR),
      curve('rss', DOUBLE_IN_TWENTY),
      curve('index', FLAT),
      curve('vectors', FLAT),
    ]
  },
  async document(sizes) {
    return [
      {
        name: 'document.commit',
        what: 'the time of a commit over the size of the document',
        unit: 'ms',
        points: await commitCosts(sizes, assetPath('sql-wasm.wasm')),
        goal: LINEAR,
      },
    ]
  },
  async events(sizes, context) {
    const { each, reopened } = await eventCosts(sizes, assetPath('sql-wasm.wasm'), context)
    const over = 'over the number of events before it'
    return [
      {
        name: 'events.each',
        what: `the processor time of an event ${over}`,
        unit: 'µs',
        points: each,
        goal: DOUBLE_IN_A_THOUSAND,
      },
      {
        name: 'events.reopen',
        what: `the time of an opening after a death ${over}`,
        unit: 'ms',
        points: reopened,
        goal: FLAT,
      },
    ]
  },
  async readers(sizes) {
    const points: Point[] = []
    for (const subscribers of sizes) {
      const run = { subscribers, events: 160, group: 16 }
      const rates = [await pumpDeliveries(run), await pumpDeliveries(run), await pumpDeliveries(run)]
      points.push({ size: subscribers, cost: 1e6 / Math.max(...rates) })
    }
    const what = 'the processor time of a delivery over the number of readers'
    return [{ name: 'readers.delivery', what, unit: 'µs', points, goal: FLAT }]
  },
  async plugins(sizes, context) {
    return [
      {
        name: 'plugins.start',
        what: 'the processor time of a start over the number of plugins',
        unit: 'ms',
        points: await startCosts(sizes, context),
        goal: PLUGINS,
      },
    ]
  },
}
